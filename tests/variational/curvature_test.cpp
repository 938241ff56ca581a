#include "varimesh/variational/curvature.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <vector>

#include "linear_problem.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/variational/pattern.h"

namespace varimesh::variational {
namespace {

constexpr Index n = 30;

std::shared_ptr<const inverse::GaussianPrior> sparse_prior() {
  return std::make_shared<inverse::IndependentPrior>(Vector::Zero(n), Vector::LinSpaced(n, 0.5, 2));
}

std::shared_ptr<const inverse::GaussianPrior> dense_prior() {
  std::vector<Point> points;
  for (Index i = 0; i < n; ++i) points.emplace_back((i + 0.5) / n, 0, 0);
  return std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.type = inverse::KernelType::matern12, .length_scale = {0.3, 0.3, 0.3}}, points, 0, 1e-6);
}

/// A by its rows.
class Rows final : public InformationFactor {
 public:
  explicit Rows(Matrix a) : a_(std::move(a)) {}
  Matrix rows() const override { return a_; }
  Matrix transposed_times(const Matrix& w) const override { return a_.transpose() * w; }
  Matrix times(const Matrix& v) const override { return a_ * v; }

 private:
  Matrix a_;
};

Curvature filled(const inverse::GaussianPrior& prior, const std::vector<Matrix>& jacobians, int threads) {
  const auto samples = static_cast<Index>(jacobians.size());
  Curvature curvature(prior, static_cast<Index>(jacobians.front().rows()), samples, samples, Curvature::exact, threads);
  curvature.fill([&](Index s) { return std::make_unique<Rows>(jacobians[static_cast<std::size_t>(s)]); });
  return curvature;
}

/// All that a curvature can do, against dense algebra. The eigenvalues left out, and conditions of 1e4, leave 1e-8.
void expect_equal(Curvature& curvature, const inverse::GaussianPrior& prior, const Matrix& h) {
  const Matrix precision = prior.gaussian().precision_times(Matrix::Identity(n, n));
  Random random(5);
  Matrix x(n, 3);
  for (Index j = 0; j < 3; ++j) x.col(j) = random.normal_vector(n);
  const auto near = [](const Matrix& a, const Matrix& b) { return (a - b).norm() < 1e-8 * b.norm(); };
  EXPECT_TRUE(near(curvature.diagonal(), h.diagonal()));
  EXPECT_TRUE(near(curvature.quadratic(x), (x.transpose() * h * x).diagonal()));
  for (const double scale : {1.0, 3.0}) {
    ASSERT_TRUE(curvature.factorize(scale));
    EXPECT_TRUE(near(curvature.solve(x), (scale * precision + h).ldlt().solve(x)));
  }
  if (curvature.is_low_rank()) {
    const Matrix reduction = curvature.covariance_reduction();
    EXPECT_TRUE(near(precision.inverse() - reduction * reduction.transpose(), (precision + h).inverse()));
  }
}

TEST(Curvature, EveryRepresentationAgreesWithDenseAlgebra) {
  for (const auto& prior : {sparse_prior(), dense_prior()}) {
    for (const Index samples : {1, 5}) {  // fewer and more rows than unknowns
      std::vector<Matrix> jacobians;
      Matrix h = Matrix::Zero(n, n);
      for (Index s = 0; s < samples; ++s) {
        jacobians.push_back(3 * test::smooth_rows(12, n, static_cast<std::uint64_t>(s) + 1));
        h += jacobians.back().transpose() * jacobians.back() / samples;
      }
      Curvature curvature = filled(*prior, jacobians, 1);
      EXPECT_EQ(curvature.is_low_rank(), prior->sparse_precision() || samples == 1);
      expect_equal(curvature, *prior, h);

      // An average with another.
      const std::vector<Matrix> others(static_cast<std::size_t>(samples), 2 * test::smooth_rows(12, n, 77));
      curvature.average(filled(*prior, others, 1), 0.25);
      expect_equal(curvature, *prior, 0.75 * h + 0.25 * others.front().transpose() * others.front());
    }
  }
}

TEST(Curvature, AveragesOfDifferentNumbersOfSamplesHaveOneRepresentation) {
  // One sample has fewer rows than there are unknowns, four have more.
  for (const auto& prior : {sparse_prior(), dense_prior()}) {
    const Matrix a = test::smooth_rows(12, n, 1), b = test::smooth_rows(12, n, 2);
    const auto of = [&](const Matrix& jacobian, Index samples) {
      Curvature curvature(*prior, 12, samples, 4, Curvature::exact, 1);
      curvature.fill([&](Index) { return std::make_unique<Rows>(jacobian); });
      return curvature;
    };
    Curvature average = of(a, 1);
    average.average(of(b, 4), 0.5);
    expect_equal(average, *prior, (a.transpose() * a + b.transpose() * b) / 2);
  }
}

TEST(Curvature, APartOnThePatternAddsToOneOfLowRank) {
  const auto prior = sparse_prior();
  const auto tree = create_pattern(linalg::create_graph(n, {}), 0, PatternKind::graph, prior->sparse_precision());
  const Vector diagonal = Vector::LinSpaced(n, 1, 4);
  const Matrix y = test::smooth_rows(4, n, 9).transpose();
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[static_cast<Eigen::Index>(tree->find(i, i))] = diagonal[tree->order()[i]];
  Curvature curvature(*prior, tree, values, y, 1);
  EXPECT_TRUE(curvature.is_sparse());
  expect_equal(curvature, *prior, Matrix(diagonal.asDiagonal()) + y * y.transpose());
}

TEST(Curvature, EigenvaluesThatAreLeftOutSumUpToLessThanAllowed) {
  const auto prior = sparse_prior();
  Curvature exact = filled(*prior, {test::smooth_rows(20, n, 1)}, 1);
  Curvature rough(*prior, 20, 1, 1, 0.1, 1);
  rough.fill([](Index) { return std::make_unique<Rows>(test::smooth_rows(20, n, 1)); });
  EXPECT_LT(rough.columns().cols(), exact.columns().cols());
  // tr(Q_prior^-1 H) is the sum of the eigenvalues relative to the prior.
  const Vector variance = prior->gaussian().variance();
  const double missing = variance.dot(exact.diagonal() - rough.diagonal());
  EXPECT_GT(missing, 0);
  EXPECT_LE(missing, 0.1);
}

TEST(Pattern, ABandIsWholeAndAGraphHasThePriorInIt) {
  const inverse::IndependentPrior independent(Vector::Zero(9), Vector::Ones(9));
  // A 3 x 3 grid of cells: bandwidth 3 in reverse Cuthill-McKee order.
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < 9; ++i) {
    if (i % 3 < 2) edges.emplace_back(i, i + 1);
    if (i < 6) edges.emplace_back(i, i + 3);
  }
  const linalg::Graph grid = linalg::create_graph(9, edges);
  const auto band = create_pattern(grid, 1, PatternKind::band, nullptr);
  Index width = 0;
  while (width < 8 && band->find(width + 1, 0) != band->num_entries()) ++width;
  EXPECT_EQ(width, linalg::bandwidth(grid, linalg::reverse_cuthill_mckee(grid)));
  for (Index i = 0; i < 9; ++i) {
    for (Index j = std::max(0, i - width); j <= i; ++j) EXPECT_NE(band->find(i, j), band->num_entries());
  }
  // Without neighbours, the prior's entries are still there.
  inverse::SparseMatrix prior(9, 9);
  prior.insert(0, 8) = prior.insert(8, 0) = 1;
  for (Index i = 0; i < 9; ++i) prior.insert(i, i) = 2;
  const auto united = create_pattern(grid, 0, PatternKind::graph, &prior);
  const linalg::Ordering position = linalg::inverse(united->order());
  EXPECT_NE(united->find(std::max(position[0], position[8]), std::min(position[0], position[8])),
            united->num_entries());
}

}  // namespace
}  // namespace varimesh::variational
