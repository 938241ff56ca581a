#include "varimesh/io/precision_picture.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "records.h"
#include "varimesh/linalg/ordering.h"

namespace varimesh::io {
namespace {

using Order = PrecisionPicture::Order;

/// Block by block from the whole matrix and the pattern of what it stores.
PrecisionPicture reduce(const Matrix& precision, const Matrix& stored, Index most) {
  const auto n = static_cast<Index>(precision.rows());
  PrecisionPicture picture;
  picture.unknowns = n;
  picture.nonzeros = static_cast<long long>(stored.sum());
  picture.size = std::min(n, most);
  picture.fill = picture.value = Vector::Zero(picture.size * picture.size);
  const auto start = [&](Index block) { return block * n / picture.size; };
  for (Index b = 0; b < picture.size; ++b) {
    for (Index c = 0; c < picture.size; ++c) {
      const auto values = precision.block(start(b), start(c), start(b + 1) - start(b), start(c + 1) - start(c));
      picture.fill[b * picture.size + c] = stored.block(start(b), start(c), values.rows(), values.cols()).mean();
      for (const double entry : values.reshaped()) {
        double& largest = picture.value[b * picture.size + c];
        if (std::abs(entry) > std::abs(largest)) largest = entry;
      }
    }
  }
  return picture;
}

void expect_equal(const PrecisionPicture& found, const PrecisionPicture& expected) {
  EXPECT_EQ(found.unknowns, expected.unknowns);
  EXPECT_EQ(found.nonzeros, expected.nonzeros);
  ASSERT_EQ(found.size, expected.size);
  EXPECT_LE((found.fill - expected.fill).cwiseAbs().maxCoeff(), 1e-12);
  // Where two entries of a block are as large as each other, rounding decides about the sign.
  EXPECT_LE((found.value.cwiseAbs() - expected.value.cwiseAbs()).cwiseAbs().maxCoeff(),
            1e-9 * expected.value.cwiseAbs().maxCoeff());
}

Matrix precision_of(const gaussian::Gaussian& gaussian) {
  return gaussian.precision_times(Matrix::Identity(gaussian.size(), gaussian.size()));
}

std::shared_ptr<const gaussian::Gaussian> sample(test::SampleFamily family) {
  return test::sample_fit(test::sample_problem(2), family).components.front();
}

class PrecisionPictures : public testing::TestWithParam<Index> {};

TEST_P(PrecisionPictures, OfIndependentUnknownsAreDiagonal) {
  const auto gaussian = sample(test::SampleFamily::diagonal);
  const auto picture = picture_precision(*gaussian, GetParam());
  ASSERT_TRUE(picture);
  expect_equal(*picture, reduce(precision_of(*gaussian), Matrix::Identity(24, 24), GetParam()));
  EXPECT_EQ(picture->nonzeros, 24);
}

TEST_P(PrecisionPictures, OfDenseOnesAreFull) {
  const auto gaussian = sample(test::SampleFamily::dense);
  const auto picture = picture_precision(*gaussian, GetParam());
  ASSERT_TRUE(picture);
  expect_equal(*picture, reduce(precision_of(*gaussian), Matrix::Ones(24, 24), GetParam()));
}

TEST_P(PrecisionPictures, OfSparseOnesShowWhatIsStored) {
  const auto gaussian = std::dynamic_pointer_cast<const gaussian::SparseGaussian>(sample(test::SampleFamily::sparse));
  const linalg::CliqueTree& tree = gaussian->tree();
  Matrix stored = Matrix::Zero(24, 24);
  for (Index i = 0; i < 24; ++i) {
    for (Index j = 0; j <= i; ++j) {
      if (tree.find(i, j) == tree.num_entries()) continue;
      const Index a = tree.order()[i], b = tree.order()[j];
      stored(a, b) = stored(b, a) = 1;
    }
  }
  const auto picture = picture_precision(*gaussian, GetParam());
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->order, Order::natural);
  expect_equal(*picture, reduce(precision_of(*gaussian), stored, GetParam()));
}

TEST_P(PrecisionPictures, OfDrawsAreOfTheInverseOfTheirCovariance) {
  const result::Draws draws = test::sample_draws(10, 3, 200);
  Matrix all(10, 600);
  for (Index c = 0; c < 3; ++c) all.middleCols(200 * c, 200) = draws.chain(c);
  all.colwise() -= all.rowwise().mean().eval();
  const Matrix precision = (all * all.transpose() / 599).inverse();
  const auto picture = picture_precision(draws, 500, GetParam());
  ASSERT_TRUE(picture);
  expect_equal(*picture, reduce(precision, Matrix::Ones(10, 10), GetParam()));
}

// As many rows as unknowns, fewer, and numbers that do not divide.
INSTANTIATE_TEST_SUITE_P(Sizes, PrecisionPictures, testing::Values(512, 24, 12, 7, 1));

TEST(PrecisionPicture, OfDrawsNeedsEnoughOfThem) {
  const result::Draws draws = test::sample_draws(10, 3, 200);
  EXPECT_FALSE(picture_precision(draws, 49, 512));
  EXPECT_FALSE(picture_precision(draws, std::numeric_limits<double>::quiet_NaN(), 512));
  EXPECT_TRUE(picture_precision(draws, 50, 512));
  // Fewer draws than unknowns, whatever is said of them.
  EXPECT_FALSE(picture_precision(test::sample_draws(10, 1, 5), 1000, 512));
}

TEST(PrecisionPicture, OfManyDenseUnknownsIsLeftOut) {
  const Index n = 3001;
  EXPECT_FALSE(picture_precision(gaussian::DenseGaussian(Vector::Zero(n), Matrix::Identity(n, n)), 512));
  EXPECT_TRUE(picture_precision(gaussian::DiagonalGaussian(Vector::Zero(n), Vector::Ones(n)), 512));
}

TEST(PrecisionPicture, OfAHundredThousandSparseUnknownsIsInTheOrderOfElimination) {
  const Index n = 100'000;
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 1; i < n; ++i) edges.emplace_back(i - 1, i);
  const auto graph = linalg::create_graph(n, edges);
  linalg::Ordering order(n);
  for (Index i = 0; i < n; ++i) order[i] = i;
  const auto tree = std::make_shared<linalg::CliqueTree>(graph, order, linalg::Amalgamation::none);
  Vector factor = Vector::Zero(static_cast<Eigen::Index>(tree->num_entries()));
  for (Index i = 0; i < n; ++i) factor[static_cast<Eigen::Index>(tree->find(i, i))] = 2;
  const auto picture = picture_precision(gaussian::SparseGaussian(Vector::Zero(n), tree, factor), 512);
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->order, Order::elimination);
  EXPECT_EQ(picture->size, 512);
  EXPECT_EQ(picture->nonzeros, 3LL * n - 2);
  EXPECT_EQ(picture->value[0], 4);
  // As many entries as the shares of the blocks say, which have 195 or 196 rows.
  EXPECT_NEAR(picture->fill.sum() * (n / 512.0) * (n / 512.0), 3.0 * n, 0.01 * n);
}

}  // namespace
}  // namespace varimesh::io
