// What every normal distribution promises, for all the ways to store one, against dense algebra.
#include "varimesh/gaussian/gaussian.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>

#include "expect_input_error.h"
#include "varimesh/gaussian/block_gaussian.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/gaussian/low_rank_gaussian.h"
#include "varimesh/gaussian/operator_gaussian.h"
#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::gaussian {
namespace {

using linalg::Amalgamation;
using linalg::CliqueTree;

/// A distribution, and the covariance it should have.
struct Example {
  std::unique_ptr<Gaussian> gaussian;
  Matrix covariance;
};

Matrix random_matrix(Index rows, Index columns, Random& random) {
  return Matrix::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

Example diagonal(Index size) {
  Random random(1);
  const Vector sigma = random.normal_vector(size).array().exp();
  return {std::make_unique<DiagonalGaussian>(random.normal_vector(size), sigma), sigma.cwiseAbs2().asDiagonal()};
}

Example dense(Index size) {
  Random random(2);
  Matrix factor = random_matrix(size, size, random) / size;  // what is above the diagonal should not count
  factor.diagonal().array() += 1.5;
  const Matrix lower = factor.triangularView<Eigen::Lower>();
  return {std::make_unique<DenseGaussian>(random.normal_vector(size), factor), lower * lower.transpose()};
}

/// A diagonally dominant precision on a graph.
Example sparse(const linalg::Graph& graph, Amalgamation amalgamation) {
  Random random(3);
  const Index n = graph.size();
  Matrix precision = Matrix::Zero(n, n);
  for (Index v = 0; v < n; ++v)
    for (const Index w : graph.neighbours(v)) precision(v, w) = precision(w, v) = random.normal();
  for (Index v = 0; v < n; ++v) precision(v, v) = precision.col(v).cwiseAbs().sum() + 0.5 + random.uniform();

  const auto tree = std::make_shared<const CliqueTree>(graph, linalg::nested_dissection(graph).order, amalgamation);
  Vector factor = Vector::Constant(static_cast<Eigen::Index>(tree->num_entries()), std::nan(""));
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      if (const std::size_t at = tree->find(i, j); at < tree->num_entries())
        factor[static_cast<Eigen::Index>(at)] = precision(tree->order()[i], tree->order()[j]);
    }
  }
  EXPECT_TRUE(linalg::chordal_cholesky(*tree, factor));
  return {std::make_unique<SparseGaussian>(random.normal_vector(n), tree, factor), precision.inverse()};
}

linalg::Graph cells_that_share_a_node() {
  const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {4, 3});
  return linalg::sharing_graph(mesh.cell_nodes, 3, mesh.num_nodes());
}

/// Relative to another one: more precise in some directions, less in one, and of another scale.
Example low_rank(Example base, Index rank) {
  Random random(5);
  const Index n = base.gaussian->size();
  const Matrix u = random_matrix(n, rank, random).householderQr().householderQ() * Matrix::Identity(n, rank);
  Vector excess = Vector::LinSpaced(rank, 0.1, 30);
  if (rank > 1) excess[0] = -0.5;
  const double scale = 0.7;
  // The directions are relative to the base's own root, which need not be triangular.
  Matrix own_root = Matrix::Identity(n, n);
  base.gaussian->multiply_root(own_root);
  const Matrix inner = Matrix::Identity(n, n) + u * excess.asDiagonal() * u.transpose();
  const Matrix covariance = scale * scale * own_root * inner.inverse() * own_root.transpose();
  return {std::make_unique<LowRankGaussian>(random.normal_vector(n), std::move(base.gaussian),
                                            std::make_shared<const Matrix>(u), excess, scale),
          covariance};
}

/// M = C + S with a diagonal C and a graph's Laplacian S.
linalg::SparseMatrix operator_on(const linalg::Graph& graph, const Vector& c) {
  Random random(5);
  Matrix m = c.asDiagonal();
  for (Index v = 0; v < graph.size(); ++v) {
    for (const Index w : graph.neighbours(v)) {
      if (w > v) continue;
      const double weight = 0.2 + 0.5 * random.uniform();
      m(v, w) = m(w, v) = -weight;
      m(v, v) += weight;
      m(w, w) += weight;
    }
  }
  return m.sparseView();
}

/// The same field by dense algebra: P_alpha = M^-1 (C M^-1)^(alpha-1), scaled to variances sigma^2.
Example by_operator(const linalg::Graph& graph, int order) {
  Random random(6);
  constexpr double sigma = 0.7;
  const Vector c = 0.5 + random.normal_vector(graph.size()).array().abs();
  const linalg::SparseMatrix m = operator_on(graph, c);
  const Matrix inverse = Matrix(m).inverse();
  Matrix covariance = inverse;
  for (int step = 1; step < order; ++step) covariance = (covariance * c.asDiagonal() * inverse).eval();
  const Vector scale = sigma * covariance.diagonal().cwiseSqrt().cwiseInverse();
  auto gaussian = std::make_unique<OperatorGaussian>(random.normal_vector(graph.size()), m, c, order, sigma, 2);
  // For orders 3 and 4 the variances are those of differences: the test below has their accuracy, here their value.
  const Vector found = gaussian->covariance_times(Matrix::Identity(graph.size(), graph.size())).diagonal();
  const Vector exact = scale.cwiseProduct(found.cwiseSqrt()) / sigma;
  return {std::move(gaussian), exact.asDiagonal() * covariance * exact.asDiagonal()};
}

/// One of each kind.
Example blocks() {
  std::vector<BlockGaussian::Block> parts;
  std::vector<Matrix> covariances;
  Index size = 0;
  std::array examples{dense(4), by_operator(cells_that_share_a_node(), 2), diagonal(3)};
  for (Example& part : examples) {
    size += part.gaussian->size();
    covariances.push_back(part.covariance);
    parts.push_back(std::move(part.gaussian));
  }
  Matrix covariance = Matrix::Zero(size, size);
  Index first = 0;
  for (const Matrix& part : covariances) {
    covariance.block(first, first, part.rows(), part.rows()) = part;
    first += static_cast<Index>(part.rows());
  }
  return {std::make_unique<BlockGaussian>(std::move(parts)), covariance};
}

struct Case {
  std::string name;
  std::function<Example()> create;
};

const std::vector<Case> cases = {
    {"diagonal", [] { return diagonal(12); }},
    {"diagonal_single", [] { return diagonal(1); }},
    {"dense", [] { return dense(12); }},
    {"dense_single", [] { return dense(1); }},
    {"sparse", [] { return sparse(cells_that_share_a_node(), Amalgamation::none); }},
    {"sparse_amalgamated", [] { return sparse(cells_that_share_a_node(), Amalgamation::relaxed); }},
    {"operator_1", [] { return by_operator(cells_that_share_a_node(), 1); }},
    {"operator_2", [] { return by_operator(cells_that_share_a_node(), 2); }},
    {"operator_3", [] { return by_operator(cells_that_share_a_node(), 3); }},
    {"operator_4", [] { return by_operator(cells_that_share_a_node(), 4); }},
    {"operator_single", [] { return by_operator(linalg::create_graph(1, {}), 2); }},
    {"blocks", blocks},
    {"sparse_independent", [] { return sparse(linalg::create_graph(5, {}), Amalgamation::none); }},
    {"low_rank_on_dense", [] { return low_rank(dense(12), 3); }},
    {"low_rank_on_sparse", [] { return low_rank(sparse(cells_that_share_a_node(), Amalgamation::none), 7); }},
    {"low_rank_of_full_rank", [] { return low_rank(diagonal(6), 6); }},
    {"low_rank_without_directions", [] { return low_rank(diagonal(4), 0); }},
};

constexpr double tolerance = 1e-12;  // rounding times a condition number of some hundreds

class GaussianContract : public testing::TestWithParam<Case> {
 protected:
  using Operation = void (Gaussian::*)(Eigen::Ref<Matrix>) const;

  GaussianContract() : example_(GetParam().create()), g_(*example_.gaussian), n_(g_.size()), random_(4) {}

  Matrix apply(Operation operation, Matrix x) const {
    (g_.*operation)(x);
    return x;
  }
  Matrix columns(Index count) { return random_matrix(n_, count, random_); }
  const Matrix& covariance() const { return example_.covariance; }

  Example example_;
  const Gaussian& g_;
  Index n_;
  Random random_;
};

INSTANTIATE_TEST_SUITE_P(All, GaussianContract, testing::ValuesIn(cases),
                         [](const auto& param_info) { return param_info.param.name; });

constexpr auto times = &Gaussian::multiply_root, times_transposed = &Gaussian::multiply_root_transposed;
constexpr auto solve = &Gaussian::solve_root, solve_transposed = &Gaussian::solve_root_transposed;

TEST_P(GaussianContract, RootTimesItsTransposeIsTheCovariance) {
  const Matrix root = apply(times, Matrix::Identity(n_, n_));
  EXPECT_LT((root * root.transpose() - covariance()).norm(), tolerance * covariance().norm());
}

TEST_P(GaussianContract, SolvesInvertProducts) {
  const Matrix x = columns(3);
  EXPECT_LT((apply(solve, apply(times, x)) - x).norm(), tolerance * x.norm());
  EXPECT_LT((apply(times, apply(solve, x)) - x).norm(), tolerance * x.norm());
  EXPECT_LT((apply(solve_transposed, apply(times_transposed, x)) - x).norm(), tolerance * x.norm());
  EXPECT_LT((apply(times_transposed, apply(solve_transposed, x)) - x).norm(), tolerance * x.norm());
}

TEST_P(GaussianContract, TransposesAreAdjoint) {
  const Matrix x = columns(2), y = columns(3);
  const Matrix rx = apply(times, x), sx = apply(solve, x);
  EXPECT_LT((y.transpose() * rx - apply(times_transposed, y).transpose() * x).norm(), tolerance * y.norm() * rx.norm());
  EXPECT_LT((y.transpose() * sx - apply(solve_transposed, y).transpose() * x).norm(), tolerance * y.norm() * sx.norm());
}

TEST_P(GaussianContract, VectorsColumnsAndBlocksOfLargerMatricesAgree) {
  for (const auto operation : {times, times_transposed, solve, solve_transposed}) {
    const Matrix larger = random_matrix(n_ + 3, 5, random_);
    const auto x = larger.block(2, 1, n_, 3);
    const Matrix result = apply(operation, x);
    for (Index j = 0; j < 3; ++j) {
      Vector column = x.col(j);
      (g_.*operation)(column);
      EXPECT_LT((column - result.col(j)).norm(), tolerance * result.norm());
    }
    Matrix touched = larger;
    (g_.*operation)(touched.block(2, 1, n_, 3));
    EXPECT_LT((touched.block(2, 1, n_, 3) - result).norm(), tolerance * result.norm());
    (g_.*operation)(touched.col(4).segment(1, n_));  // one column of a matrix, too
    EXPECT_LT((touched.col(4).segment(1, n_) - apply(operation, larger.col(4).segment(1, n_))).norm(),
              tolerance * result.norm());
    // The rest stays as it was.
    touched.block(2, 1, n_, 3) = x;
    touched.col(4).segment(1, n_) = larger.col(4).segment(1, n_);
    EXPECT_EQ(touched, larger);
  }
}

TEST_P(GaussianContract, LogDensityIsTheDenseFormula) {
  const Eigen::LLT<Matrix> root(covariance());
  const double log_determinant = 2 * root.matrixLLT().diagonal().array().log().sum();
  EXPECT_NEAR(g_.log_determinant(), log_determinant, tolerance * n_);
  const Matrix x = columns(4);
  const Vector densities = g_.log_densities(x);
  ASSERT_EQ(densities.size(), 4);
  for (Index j = 0; j < 4; ++j) {
    const Vector difference = x.col(j) - g_.mean();
    const double quadratic = difference.dot(root.solve(difference));
    const double expected = -0.5 * (quadratic + log_determinant + n_ * std::log(2 * std::numbers::pi));
    EXPECT_NEAR(g_.log_density(x.col(j)), expected, tolerance * (quadratic + n_));
    EXPECT_NEAR(densities[j], expected, tolerance * (quadratic + n_));
    EXPECT_NEAR(g_.log_density_of_white(quadratic), expected, tolerance * (quadratic + n_));
  }
}

TEST_P(GaussianContract, EntropyIsTheClosedForm) {
  // 1/2 log det(2 pi e Sigma), here from the eigenvalues' product
  const double determinant = (2 * std::numbers::pi * std::numbers::e * covariance()).determinant();
  EXPECT_NEAR(g_.entropy(), 0.5 * std::log(determinant), tolerance * n_);
}

TEST_P(GaussianContract, VarianceAndPrecisionAreTheDenseDiagonals) {
  const Vector precision = covariance().inverse().diagonal();
  // An OperatorGaussian of order 3 or 4 gives the variance that it aims at: within 1e-6.
  const bool by_differences = GetParam().name == "operator_3" || GetParam().name == "operator_4";
  const double variance_tolerance = by_differences ? 1e-6 : tolerance;
  EXPECT_LT((g_.variance() - covariance().diagonal()).norm(), variance_tolerance * covariance().norm());
  EXPECT_LT((g_.precision_diagonal() - precision).norm(), tolerance * precision.norm());
}

TEST_P(GaussianContract, DenseRootIsATriangularRootOfTheCovariance) {
  const Matrix root = g_.dense_root();
  ASSERT_EQ(root.rows(), n_);
  ASSERT_EQ(root.cols(), n_);
  EXPECT_TRUE(root.isLowerTriangular(0));
  EXPECT_LT((root * root.transpose() - covariance()).norm(), tolerance * covariance().norm());
}

TEST_P(GaussianContract, CovarianceAndPrecisionProductsAgreeWithDense) {
  const Matrix x = columns(3), precision = covariance().inverse();
  EXPECT_LT((g_.covariance_times(x) - covariance() * x).norm(), tolerance * covariance().norm() * x.norm());
  EXPECT_LT((g_.precision_times(x) - precision * x).norm(), tolerance * precision.norm() * x.norm());
}

TEST_P(GaussianContract, SamplesHaveTheMomentsToFourStandardErrors) {
  constexpr Index count = 2000;
  Matrix samples(n_, count);
  for (Index k = 0; k < count; ++k) samples.col(k) = g_.sample(random_);
  // The mean's standard error is sqrt(Sigma_ii / N), that of a covariance sqrt((Sigma_ii Sigma_jj + Sigma_ij^2) / N),
  // that of the mean log density sqrt(n / 2 / N).
  const Vector mean = samples.rowwise().mean();
  const Matrix centred = samples.colwise() - g_.mean();
  const Matrix moments = centred * centred.transpose() / count;
  for (Index i = 0; i < n_; ++i) {
    EXPECT_NEAR(mean[i], g_.mean()[i], 4 * std::sqrt(covariance()(i, i) / count));
    for (Index j = 0; j <= i; ++j) {
      const double spread = covariance()(i, i) * covariance()(j, j) + std::pow(covariance()(i, j), 2);
      EXPECT_NEAR(moments(i, j), covariance()(i, j), 4 * std::sqrt(spread / count));
    }
  }
  EXPECT_NEAR(-g_.log_densities(samples).mean(), g_.entropy(), 4 * std::sqrt(0.5 * n_ / count));
}

TEST_P(GaussianContract, SamplesAreAFunctionOfTheSeed) {
  Random first(7), second(7), other(8);
  const Vector sample = g_.sample(first);
  EXPECT_EQ(sample, g_.sample(second));
  EXPECT_NE(sample, g_.sample(other));
}

TEST(OperatorGaussian, HasVarianceSigmaSquaredAtEveryUnknown) {
  // Of the differences for orders 3 and 4, the relative error is at most h^4 = 8.1e-7, reached where S = 0.
  for (const auto& graph : {cells_that_share_a_node(), linalg::create_graph(3, {})}) {
    for (const int order : {1, 2, 3, 4}) {
      const Example example = by_operator(graph, order);
      const Vector variance = example.covariance.diagonal() / (0.7 * 0.7);
      EXPECT_LT((variance.array() - 1).abs().maxCoeff(), order < 3 ? 1e-13 : 9e-7) << order;
    }
  }
}

TEST(OperatorGaussian, PrecisionIsThatOfItsProducts) {
  for (const int order : {1, 2, 3, 4}) {
    const Example example = by_operator(cells_that_share_a_node(), order);
    const auto& g = static_cast<const OperatorGaussian&>(*example.gaussian);
    const Matrix precision = g.precision();
    EXPECT_LT((g.precision_times(Matrix::Identity(g.size(), g.size())) - precision).norm(), 1e-13 * precision.norm());
    EXPECT_LT((g.precision_diagonal() - precision.diagonal()).norm(), 1e-13 * precision.norm());
  }
}

TEST(OperatorGaussian, ManyColumnsAreAsManySingleOnes) {
  const Example example = by_operator(cells_that_share_a_node(), 4);
  Random random(9);
  const Matrix x = random_matrix(example.gaussian->size(), 70, random);  // more than are worked on together
  Matrix together = x;
  example.gaussian->multiply_root(together);
  for (Index j = 0; j < x.cols(); ++j) {
    Vector single = x.col(j);
    example.gaussian->multiply_root(single);
    EXPECT_LT((single - together.col(j)).norm(), tolerance * single.norm());
  }
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(OperatorGaussian, RefusesBadInput) {
  const Vector zero = Vector::Zero(2), one = Vector::Ones(2);
  linalg::SparseMatrix m(2, 2);
  m.setIdentity();
  EXPECT_INPUT_ERROR(OperatorGaussian(zero, m, one, 2, 1), "");
  EXPECT_INPUT_ERROR(OperatorGaussian(Vector::Zero(3), m, one, 2, 1),
                     "expected an operator and a diagonal of size 3, found 2 x 2 and 2");
  EXPECT_INPUT_ERROR(OperatorGaussian(zero, m, one, 5, 1), "expected an order from 1 to 4, found 5");
  EXPECT_INPUT_ERROR(OperatorGaussian(Vector::Constant(2, infinity), m, one, 2, 1), "expected a finite mean");
  EXPECT_INPUT_ERROR(OperatorGaussian(zero, m, one, 2, 0), "expected a positive sigma, found 0");
  EXPECT_INPUT_ERROR(OperatorGaussian(zero, m, zero, 2, 1), "expected a positive diagonal matrix, found 0");
  EXPECT_INPUT_ERROR(OperatorGaussian(zero, -m, one, 2, 1),
                     "the operator of the field is so badly conditioned that its variances are lost in rounding: take "
                     "a lower order, a shorter range or larger cells");
}

TEST(DiagonalGaussian, RefusesBadInput) {
  const Vector mean = Vector::Zero(2), sigma = Vector::Ones(2);
  EXPECT_INPUT_ERROR(DiagonalGaussian(mean, sigma), "");
  EXPECT_INPUT_ERROR(DiagonalGaussian(mean, Vector::Ones(3)), "expected as many sigmas as means (2), found 3");
  EXPECT_INPUT_ERROR(DiagonalGaussian(Vector::Constant(2, infinity), sigma), "expected a finite mean");
  EXPECT_INPUT_ERROR(DiagonalGaussian(mean, 0 * sigma), "expected a positive sigma, found 0");
  EXPECT_INPUT_ERROR(DiagonalGaussian(mean, Vector::Constant(2, infinity)), "expected a positive sigma, found inf");
}

TEST(DenseGaussian, RefusesBadInput) {
  const Vector mean = Vector::Zero(2);
  const std::string not_positive =
      "expected a factor with a positive diagonal, found one that is not numerically positive definite";
  Matrix factor = Matrix::Identity(2, 2);
  factor(0, 1) = std::nan("");  // above the diagonal: not read
  EXPECT_INPUT_ERROR(DenseGaussian(mean, factor), "");
  EXPECT_INPUT_ERROR(DenseGaussian(mean, Matrix::Identity(3, 2)), "expected a 2 x 2 factor, found 3 x 2");
  EXPECT_INPUT_ERROR(DenseGaussian(Vector::Constant(2, std::nan("")), factor), "expected a finite mean");
  factor(1, 0) = infinity;
  EXPECT_INPUT_ERROR(DenseGaussian(mean, factor), not_positive);
  EXPECT_INPUT_ERROR(DenseGaussian(mean, -Matrix::Identity(2, 2)), not_positive);
}

TEST(SparseGaussian, RefusesBadInput) {
  const linalg::Graph pair = linalg::create_graph(2, {{0, 1}});
  const auto tree = std::make_shared<const CliqueTree>(pair, linalg::natural_order(2), Amalgamation::none);
  const Vector mean = Vector::Zero(2);
  const std::string not_positive =
      "expected a factor with a positive diagonal, found one that is not numerically positive definite";
  Vector factor(4);
  factor << 1, 0.5, std::nan(""), 1;  // above the diagonal: not read
  EXPECT_INPUT_ERROR(SparseGaussian(mean, tree, factor), "");
  EXPECT_INPUT_ERROR(SparseGaussian(Vector::Zero(3), tree, factor),
                     "expected a pattern of size 3 with 4 entries, found 2 with 4");
  EXPECT_INPUT_ERROR(SparseGaussian(mean, tree, Vector::Ones(3)),
                     "expected a pattern of size 2 with 4 entries, found 2 with 3");
  EXPECT_INPUT_ERROR(SparseGaussian(Vector::Constant(2, infinity), tree, factor), "expected a finite mean");
  for (const Eigen::Index at : {0, 1, 3}) {
    Vector bad = factor;
    bad[at] = infinity;
    EXPECT_INPUT_ERROR(SparseGaussian(mean, tree, bad), not_positive) << at;
    bad[at] = std::nan("");
    EXPECT_INPUT_ERROR(SparseGaussian(mean, tree, bad), not_positive) << at;
  }
  for (const Eigen::Index at : {0, 3}) {
    Vector bad = factor;
    bad[at] = -1;
    EXPECT_INPUT_ERROR(SparseGaussian(mean, tree, bad), not_positive) << at;
  }
}

TEST(LowRankGaussian, LeadingKeepsTheDirectionsThatMatter) {
  Random random(6);
  const Matrix u = random_matrix(8, 3, random).householderQr().householderQ() * Matrix::Identity(8, 3);
  const LowRankGaussian all(Vector::Zero(8), std::shared_ptr<const Gaussian>(diagonal(8).gaussian),
                            std::make_shared<const Matrix>(u), Eigen::Vector3d(0.1, 5, 0.6));
  const LowRankGaussian leading = all.leading(0.5);
  EXPECT_EQ(leading.rank(), 2);
  EXPECT_EQ(leading.excess(), Vector(Eigen::Vector2d(5, 0.6)));
  EXPECT_EQ(leading.directions(), u.rightCols(2));
}

TEST(LowRankGaussian, BadInputIsRefused) {
  const auto base = std::shared_ptr<const Gaussian>(diagonal(3).gaussian);
  const auto u = std::make_shared<const Matrix>(Matrix::Identity(3, 1));
  const auto make = [&](const Vector& mean, const Vector& excess, double scale) {
    return LowRankGaussian(mean, base, u, excess, scale);
  };
  EXPECT_INPUT_ERROR(make(Vector::Zero(2), Vector::Ones(1), 1),
                     "expected a base and directions of size 2 with 1 columns, found 3 and 3 x 1");
  EXPECT_INPUT_ERROR(make(Vector::Zero(3), Vector::Ones(2), 1),
                     "expected a base and directions of size 3 with 2 columns, found 3 and 3 x 1");
  EXPECT_INPUT_ERROR(make(Vector::Zero(3), Vector::Constant(1, -1), 1),
                     "expected precisions relative to the base that are positive and finite");
  EXPECT_INPUT_ERROR(make(Vector::Constant(3, std::nan("")), Vector::Ones(1), 1), "expected a finite mean");
  EXPECT_INPUT_ERROR(make(Vector::Zero(3), Vector::Ones(1), 0), "expected a positive scale, found 0");
}

}  // namespace
}  // namespace varimesh::gaussian
