// What every variational family promises, against dense algebra, finite differences and Monte Carlo.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "expect_input_error.h"
#include "problems.h"
#include "variational/toy_problems.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/mesh/cell_graph.h"
#include "varimesh/variational/elbo.h"
#include "varimesh/variational/full_covariance.h"
#include "varimesh/variational/mean_field.h"
#include "varimesh/variational/mixture.h"
#include "varimesh/variational/sparse_precision.h"

namespace varimesh::variational::test {
namespace {

using GaussianPriorPointer = std::shared_ptr<const inverse::GaussianPrior>;
using Tree = gaussian::SparseGaussian::Tree;

constexpr double infinity = std::numeric_limits<double>::infinity();

Matrix normal_matrix(Index rows, Index columns, Random& random) {
  return Matrix::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

mesh::Mesh interval() { return mesh::create_interval(8); }
mesh::Mesh rectangle() { return mesh::create_rectangle(mesh::CellType::triangle, {3, 2}); }

/// Cells at most two facets apart: what the precision matrix of an SpdePrior of order 2 couples.
linalg::Graph two_facets_apart(const mesh::Mesh& mesh) {
  const mesh::CellLabels facets = mesh::cell_labels(mesh, mesh::CellNeighbours::sharing_facet);
  return linalg::neighbourhoods(linalg::sharing_graph(facets.labels, facets.labels_per_cell, facets.num_labels), 2);
}

Tree band() {
  const linalg::Graph graph = two_facets_apart(interval());
  return std::make_shared<linalg::CliqueTree>(graph, linalg::reverse_cuthill_mckee(graph), linalg::Amalgamation::none);
}

Tree dissected() {
  const linalg::Graph graph = two_facets_apart(rectangle());
  return std::make_shared<linalg::CliqueTree>(graph, linalg::nested_dissection(graph).order,
                                              linalg::Amalgamation::relaxed);
}

// ---- priors on the cells of a mesh

GaussianPriorPointer gaussian_process(const mesh::Mesh& mesh) {
  return std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.type = inverse::KernelType::matern32, .length_scale = {0.3, 0.3, 0.3}},
      fem::coefficient_centroids(mesh, fem::one_per_cell(mesh)), 0.4, 1e-6);
}

GaussianPriorPointer independent(const mesh::Mesh& mesh) {
  const Index n = mesh.num_cells();
  return std::make_shared<inverse::IndependentPrior>(Vector::LinSpaced(n, -0.5, 0.5), Vector::LinSpaced(n, 0.5, 1.5));
}

GaussianPriorPointer spde(const mesh::Mesh& mesh) {
  return std::make_shared<inverse::SpdePrior>(mesh, inverse::SpdeSettings{.range = 0.5, .mean = -0.3});
}

// ---- the families, somewhere

std::unique_ptr<MeanField> mean_field(Index n, Random& random) {
  const Vector sigma = (0.3 * random.normal_vector(n)).array().exp();
  return std::make_unique<MeanField>(gaussian::DiagonalGaussian(random.normal_vector(n), sigma));
}

std::unique_ptr<FullCovariance> full_covariance(Index n, Random& random) {
  Matrix factor = 0.3 * normal_matrix(n, n, random);
  factor.diagonal() = factor.diagonal().array().exp();
  return std::make_unique<FullCovariance>(gaussian::DenseGaussian(random.normal_vector(n), factor));
}

/// The places above the diagonals of the cliques' blocks, which nobody may read, are NaN.
std::unique_ptr<SparsePrecision> sparse_precision(const Tree& tree, Random& random) {
  const Index n = tree->size();
  Vector factor = Vector::Constant(static_cast<Eigen::Index>(tree->num_entries()), std::nan(""));
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      const std::size_t place = tree->find(i, j);
      if (place == tree->num_entries()) continue;
      const double x = 0.3 * random.normal();
      factor[static_cast<Eigen::Index>(place)] = i == j ? std::exp(x) : x;
    }
  }
  return std::make_unique<SparsePrecision>(gaussian::SparseGaussian(random.normal_vector(n), tree, factor));
}

template <class Component>
std::unique_ptr<Mixture> mixture(std::unique_ptr<Component> first, std::unique_ptr<Component> second) {
  std::vector<std::unique_ptr<GaussianFamily>> components;
  components.push_back(std::move(first));
  components.push_back(std::move(second));
  return std::make_unique<Mixture>(std::move(components));
}

// ---- posteriors that lie in the family

struct Exact {
  LinearGaussian problem;
  std::unique_ptr<Family> q;
};

/// Every unknown is measured by itself.
LinearGaussian measured_one_by_one(const GaussianPriorPointer& prior) {
  Random random(11);
  const Index n = prior->size();
  const Matrix a = Vector::LinSpaced(n, 0.5, 1.5).asDiagonal();
  return linear_gaussian(prior, a, random.normal_vector(n), 0.5);
}

/// Fewer measurements than unknowns, each of all of them.
LinearGaussian measured_together(const GaussianPriorPointer& prior) {
  Random random(12);
  const Index n = prior->size();
  const Matrix a = normal_matrix(n / 2, n, random);
  return linear_gaussian(prior, a, random.normal_vector(n / 2), 0.5);
}

std::unique_ptr<MeanField> exact_mean_field(const LinearGaussian& problem) {
  return std::make_unique<MeanField>(
      gaussian::DiagonalGaussian(problem.mean, problem.covariance.diagonal().cwiseSqrt()));
}

std::unique_ptr<FullCovariance> exact_full_covariance(const LinearGaussian& problem) {
  return std::make_unique<FullCovariance>(gaussian::DenseGaussian(problem.mean, problem.covariance.llt().matrixL()));
}

std::unique_ptr<SparsePrecision> exact_sparse_precision(const LinearGaussian& problem, const Tree& tree) {
  Vector factor = linalg::values_on_pattern(*tree, problem.precision);
  EXPECT_TRUE(linalg::chordal_cholesky(*tree, factor));
  return std::make_unique<SparsePrecision>(gaussian::SparseGaussian(problem.mean, tree, factor));
}

struct Case {
  std::string name;
  mesh::Mesh mesh;
  std::function<std::unique_ptr<Family>(Random&)> create;
  std::function<Exact()> exact;
};

void PrintTo(const Case& example, std::ostream* out) { *out << example.name; }

std::vector<Case> gaussian_cases() {
  const auto exact_sparse = [](const mesh::Mesh& mesh, const Tree& tree) {
    return [=] {
      LinearGaussian problem = measured_one_by_one(spde(mesh));
      auto q = exact_sparse_precision(problem, tree);
      return Exact{std::move(problem), std::move(q)};
    };
  };
  return {
      {"MeanField", interval(), [](Random& random) { return mean_field(8, random); },
       [] {
         LinearGaussian problem = measured_one_by_one(independent(interval()));
         auto q = exact_mean_field(problem);
         return Exact{std::move(problem), std::move(q)};
       }},
      {"FullCovariance", interval(), [](Random& random) { return full_covariance(8, random); },
       [] {
         LinearGaussian problem = measured_together(gaussian_process(interval()));
         auto q = exact_full_covariance(problem);
         return Exact{std::move(problem), std::move(q)};
       }},
      {"SparsePrecisionOnBand", interval(), [](Random& random) { return sparse_precision(band(), random); },
       exact_sparse(interval(), band())},
      {"SparsePrecisionOnMesh", rectangle(), [](Random& random) { return sparse_precision(dissected(), random); },
       exact_sparse(rectangle(), dissected())},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> list = gaussian_cases();
  list.push_back({"MixtureOfMeanFields", interval(),
                  [](Random& random) { return mixture(mean_field(8, random), mean_field(8, random)); },
                  [] {
                    LinearGaussian problem = measured_one_by_one(independent(interval()));
                    auto q = mixture(exact_mean_field(problem), exact_mean_field(problem));
                    return Exact{std::move(problem), std::move(q)};
                  }});
  list.push_back({"MixtureOfFullCovariances", interval(),
                  [](Random& random) { return mixture(full_covariance(8, random), full_covariance(8, random)); },
                  [] {
                    LinearGaussian problem = measured_together(gaussian_process(interval()));
                    auto q = mixture(exact_full_covariance(problem), exact_full_covariance(problem));
                    return Exact{std::move(problem), std::move(q)};
                  }});
  return list;
}

/// Central differences. With a step of 1e-5 they are wrong by about 1e-10 of a third derivative, and by rounding of
/// about 1e-16 / 1e-5 of the value.
Vector finite_differences(const std::function<double(const Vector&)>& f, const Vector& x) {
  constexpr double h = 1e-5;
  return Vector::NullaryExpr(x.size(), [&](Eigen::Index i) {
    Vector moved = x;
    moved[i] = x[i] + h;
    const double above = f(moved);
    moved[i] = x[i] - h;
    return (above - f(moved)) / (2 * h);
  });
}
constexpr double difference_tolerance = 1e-7;

/// A normal distribution in dense algebra.
struct Normal {
  Vector mean;
  Matrix covariance;
};

/// The components of q, from where it sends the origin and the unit vectors.
std::vector<Normal> components_of(const Family& q) {
  const Index n = q.size(), k = q.num_components();
  Matrix z = Matrix::Zero(n, k * (n + 1));
  for (Index c = 0; c < k; ++c) z.middleCols(c * (n + 1) + 1, n).setIdentity();
  const Matrix kappa = q.transform(z);
  std::vector<Normal> result;
  for (Index c = 0; c < k; ++c) {
    const Vector mean = kappa.col(c * (n + 1));
    const Matrix root = kappa.middleCols(c * (n + 1) + 1, n).colwise() - mean;
    result.push_back({mean, root * root.transpose()});
  }
  return result;
}

/// log q at x from dense algebra.
double reference_log_density(const std::vector<Normal>& components, const Vector& x) {
  double sum = 0;
  for (const Normal& c : components) sum += std::exp(normal_log_density(x, c.mean, c.covariance));
  return std::log(sum / static_cast<double>(components.size()));
}

struct MonteCarlo {
  double mean, standard_error;
};

MonteCarlo average(const Vector& values) {
  const double n = static_cast<double>(values.size());
  return {values.mean(), std::sqrt((values.array() - values.mean()).square().sum() / (n * (n - 1)))};
}

template <class Estimate>
void expect_within_four_standard_errors(const Estimate& estimate, double value) {
  EXPECT_NEAR(estimate.mean, value, 4 * estimate.standard_error);
  EXPECT_GT(estimate.standard_error, 0);
}

class FamilyContract : public testing::TestWithParam<Case> {
 protected:
  FamilyContract() : random_(1), q_(GetParam().create(random_)), n_(q_->size()) {}

  /// A multiple of the number of components, of independent columns.
  Matrix normals(Index count) { return normal_matrix(n_, count, random_); }

  Random random_;
  std::unique_ptr<Family> q_;
  Index n_;
};

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, FamilyContract, testing::ValuesIn(all_cases()), name_of);

TEST_P(FamilyContract, ParametersDescribeTheDistributionCompletely) {
  const std::unique_ptr<Family> other = GetParam().create(random_);
  ASSERT_GT((other->parameters() - q_->parameters()).norm(), 0.1);
  ASSERT_TRUE(other->set_parameters(q_->parameters()));
  // log and exp cost a rounding or two.
  const Matrix z = normals(4);
  EXPECT_LT((other->parameters() - q_->parameters()).norm(), 1e-13 * q_->parameters().norm());
  EXPECT_LT((other->transform(z) - q_->transform(z)).norm(), 1e-13 * q_->transform(z).norm());
  EXPECT_LT((other->mean() - q_->mean()).norm(), 1e-13 * q_->mean().norm());
  EXPECT_LT((other->variance() - q_->variance()).norm(), 1e-13 * q_->variance().norm());
}

TEST_P(FamilyContract, ParametersThatAreNoDistributionChangeNothing) {
  const Vector good = q_->parameters();
  const Matrix z = normals(2), kappa = q_->transform(z);
  const Index parameters = static_cast<Index>(good.size());
  // Of each component the mean comes first; the last parameter is a logarithm of sigma, or of a diagonal entry.
  for (const Index place : {0, n_, parameters - 1}) {
    for (const double value : {std::nan(""), infinity, -infinity}) {
      Vector bad = good;
      bad[place] = value;
      EXPECT_FALSE(q_->set_parameters(bad)) << place << ": " << value;
    }
  }
  for (const double overflow : {800.0, -800.0}) {
    Vector bad = good;
    bad[parameters - 1] = overflow;
    bad[0] += 1;
    EXPECT_FALSE(q_->set_parameters(bad)) << overflow;
  }
  EXPECT_EQ(q_->parameters(), good);
  EXPECT_EQ(q_->transform(z), kappa);
}

TEST_P(FamilyContract, ClonesAreIndependent) {
  const std::unique_ptr<Family> copy = q_->clone();
  const Vector parameters = q_->parameters();
  const Matrix kappa = q_->transform(normals(6));
  const Vector densities = q_->log_densities(kappa);
  EXPECT_EQ(copy->parameters(), parameters);
  ASSERT_TRUE(copy->set_parameters(parameters.array() + 0.1));
  EXPECT_EQ(q_->parameters(), parameters);
  EXPECT_EQ(q_->log_densities(kappa), densities);
  EXPECT_NE(copy->log_densities(kappa), densities);
}

TEST_P(FamilyContract, LogDensitiesAreThoseOfTheDistributionOfItsDraws) {
  const std::vector<Normal> reference = components_of(*q_);
  const Matrix kappa = q_->transform(normals(10));
  const Vector densities = q_->log_densities(kappa);
  // Rounding times the condition number of the covariance, below 1e3.
  for (Index s = 0; s < kappa.cols(); ++s)
    EXPECT_NEAR(densities[s], reference_log_density(reference, kappa.col(s)), 1e-11);
}

TEST_P(FamilyContract, MeanAndVarianceAreThoseOfItsDraws) {
  constexpr Index samples = 4000;
  const Matrix kappa = q_->transform(normals(samples));
  const Vector mean = q_->mean(), variance = q_->variance();
  for (Index i = 0; i < n_; ++i) {
    const Vector deviation = kappa.row(i).transpose().array() - mean[i];
    expect_within_four_standard_errors(average(deviation), 0);
    expect_within_four_standard_errors(average(deviation.cwiseAbs2()), variance[i]);
  }
}

TEST_P(FamilyContract, MeanAndVarianceFollowFromItsComponents) {
  Vector mean = Vector::Zero(n_), second_moment = Vector::Zero(n_);
  const std::vector<Normal> reference = components_of(*q_);
  for (const Normal& c : reference) {
    mean += c.mean / static_cast<double>(reference.size());
    second_moment += (c.covariance.diagonal() + c.mean.cwiseAbs2()) / static_cast<double>(reference.size());
  }
  EXPECT_LT((q_->mean() - mean).norm(), 1e-12 * mean.norm());
  EXPECT_LT((q_->variance() + mean.cwiseAbs2() - second_moment).norm(), 1e-12 * second_moment.norm());
}

TEST_P(FamilyContract, LogDensityGradientsAreDerivatives) {
  const Matrix kappa = q_->transform(normals(4));
  const Matrix gradients = q_->log_density_gradients(kappa);
  for (Index s = 0; s < kappa.cols(); ++s) {
    const Vector expected = finite_differences([&](const Vector& x) { return q_->log_densities(x)[0]; }, kappa.col(s));
    EXPECT_LT((gradients.col(s) - expected).norm(), difference_tolerance * expected.norm());
  }
}

TEST_P(FamilyContract, PullBackIsTheDerivativeOfDrawsByEveryParameter) {
  const Matrix z = normals(6), g = normals(6);
  const std::unique_ptr<Family> moved = q_->clone();
  const Vector expected = finite_differences(
      [&](const Vector& parameters) {
        EXPECT_TRUE(moved->set_parameters(parameters));
        return g.cwiseProduct(moved->transform(z)).sum();
      },
      q_->parameters());
  const Vector gradient = q_->pull_back(z, g);
  ASSERT_EQ(gradient.size(), expected.size());
  EXPECT_LT((gradient - expected).lpNorm<Eigen::Infinity>(), difference_tolerance * expected.norm());
}

TEST_P(FamilyContract, TheExactPosteriorHasTheEvidenceAsElboWithoutError) {
  const auto [problem, q] = GetParam().exact();
  Evaluator evaluator(*problem.posterior, 1);
  const ElboEstimate estimate = estimate_elbo(evaluator, *q, 40, random_);
  // Rounding of sums of size 10 to 100, through matrices of condition 1e3.
  EXPECT_NEAR(estimate.value, problem.log_evidence, 1e-10);
  EXPECT_LT(estimate.standard_error, 1e-11);
}

TEST_P(FamilyContract, EstimatedElboIsTheClosedFormWithinItsStandardError) {
  const LinearGaussian problem = measured_together(gaussian_process(GetParam().mesh));
  // Components far apart do not see each other: log q = log q_k - log(number of components).
  const Index components = q_->num_components();
  Vector parameters = q_->parameters();
  for (Index k = 0; k < components; ++k) parameters[k * (parameters.size() / components)] += 60 * k;
  ASSERT_TRUE(q_->set_parameters(parameters));
  double exact = std::log(components);
  for (const Normal& c : components_of(*q_)) exact += problem.elbo(c.mean, c.covariance) / components;

  Evaluator evaluator(*problem.posterior, 1);
  const ElboEstimate estimate = estimate_elbo(evaluator, *q_, 2000, random_);
  EXPECT_EQ(estimate.samples, 2000);
  EXPECT_GT(estimate.standard_error, 0);
  EXPECT_NEAR(estimate.value, exact, 4 * estimate.standard_error);
}

TEST_P(FamilyContract, StandardErrorsOfTheElboAreHonestWithFewDraws) {
  const LinearGaussian problem = measured_together(independent(GetParam().mesh));
  Evaluator evaluator(*problem.posterior, 1);
  for (const Index samples : {2, 20}) {
    constexpr Index repetitions = 300;
    Vector values(repetitions), squared_errors(repetitions);
    for (Index r = 0; r < repetitions; ++r) {
      const ElboEstimate estimate = estimate_elbo(evaluator, *q_, samples, random_);
      values[r] = estimate.value;
      squared_errors[r] = estimate.standard_error * estimate.standard_error;
    }
    // With 300 repetitions of heavy-tailed squares, means are known to some 20 %. Draws in equal numbers from the
    // components make a mixture's estimate better than it says.
    const double variance = (values.array() - values.mean()).square().mean();
    EXPECT_GT(squared_errors.mean(), 0.6 * variance) << samples << " draws";
    EXPECT_LT(squared_errors.mean(), (q_->num_components() > 1 ? 10 : 1.8) * variance) << samples << " draws";
  }
}

TEST_P(FamilyContract, AModelThatFailsAtADrawHasNoElbo) {
  const auto likelihood = std::make_shared<BlackBox>(n_, [](const Vector& kappa, Vector& gradient) {
    gradient.setZero();
    return kappa[0] > 0 ? 0.0 : std::nan("");
  });
  const inverse::Posterior posterior(likelihood, independent(GetParam().mesh));
  Evaluator evaluator(posterior, 1);
  EXPECT_EQ(estimate_elbo(evaluator, *q_, 200, random_).value, -infinity);
}

// ---- normal families

class GaussianFamilyContract : public FamilyContract {
 protected:
  const GaussianFamily& q() const { return dynamic_cast<const GaussianFamily&>(*q_); }

  /// Sparse families do without dense matrices only for a prior that lies in their pattern, as these do.
  std::vector<std::pair<std::string, GaussianPriorPointer>> priors() const {
    const mesh::Mesh& mesh = GetParam().mesh;
    return {{"dense", gaussian_process(mesh)}, {"independent", independent(mesh)}, {"sparse", spde(mesh)}};
  }
};

INSTANTIATE_TEST_SUITE_P(All, GaussianFamilyContract, testing::ValuesIn(gaussian_cases()), name_of);

TEST_P(GaussianFamilyContract, EntropyIsTheClosedFormAndTheMeanOfMinusLogDensity) {
  // 1/2 log det(2 pi e Sigma)
  const Matrix covariance = components_of(q())[0].covariance;
  const double expected = 0.5 * std::log((2 * std::numbers::pi * std::numbers::e * covariance).determinant());
  EXPECT_NEAR(q().gaussian().entropy(), expected, 1e-12 * n_);
  expect_within_four_standard_errors(average(-q().log_densities(q().transform(normals(2000)))), expected);
}

TEST_P(GaussianFamilyContract, DivergenceFromThePriorIsTheClosedFormAndTheMeanLogRatio) {
  const Normal reference = components_of(q())[0];
  for (const auto& [name, prior] : priors()) {
    SCOPED_TRACE(name);
    // 1/2 [ tr(K^-1 Sigma) + (mu - m)' K^-1 (mu - m) - n + log det K - log det Sigma ]
    const Matrix prior_covariance = prior->gaussian().covariance_times(Matrix::Identity(n_, n_));
    const Vector offset = reference.mean - prior->gaussian().mean();
    const Matrix prior_precision = prior_covariance.inverse();
    const double expected =
        0.5 * ((prior_precision * reference.covariance).trace() + offset.dot(prior_precision * offset) - n_ +
               std::log(prior_covariance.determinant()) - std::log(reference.covariance.determinant()));
    const double divergence = q().kl_divergence(*prior);
    EXPECT_NEAR(divergence, expected, 1e-11 * expected);  // a condition number of 1e3 or less

    const Matrix kappa = q().transform(normals(4000));
    expect_within_four_standard_errors(average(q().log_densities(kappa) - prior->gaussian().log_densities(kappa)),
                                       divergence);
  }
}

TEST_P(GaussianFamilyContract, GradientOfTheDivergenceIsItsDerivativeByEveryParameter) {
  const std::unique_ptr<Family> moved = q().clone();
  for (const auto& [name, prior] : priors()) {
    SCOPED_TRACE(name);
    Vector gradient;
    EXPECT_EQ(q().kl_divergence(*prior, gradient), q().kl_divergence(*prior));
    const Vector expected = finite_differences(
        [&](const Vector& parameters) {
          EXPECT_TRUE(moved->set_parameters(parameters));
          return dynamic_cast<const GaussianFamily&>(*moved).kl_divergence(*prior);
        },
        q().parameters());
    ASSERT_EQ(gradient.size(), expected.size());
    EXPECT_LT((gradient - expected).lpNorm<Eigen::Infinity>(), difference_tolerance * expected.norm());
  }
}

TEST_P(GaussianFamilyContract, AMixtureOfOneComponentIsThatComponent) {
  std::vector<std::unique_ptr<GaussianFamily>> components;
  components.emplace_back(dynamic_cast<GaussianFamily*>(q().clone().release()));
  const Mixture single(std::move(components));
  const Matrix z = normals(5), g = normals(5), kappa = q().transform(z);
  EXPECT_EQ(single.num_components(), 1);
  EXPECT_EQ(single.parameters(), q().parameters());
  EXPECT_EQ(single.transform(z), kappa);
  EXPECT_EQ(single.pull_back(z, g), q().pull_back(z, g));
  // Of log(exp(x)) and of x - x = 0 rounding may remain.
  EXPECT_LT((single.mean() - q().mean()).norm(), 1e-14 * q().mean().norm());
  EXPECT_LT((single.variance() - q().variance()).norm(), 1e-14 * q().variance().norm());
  EXPECT_LT((single.log_densities(kappa) - q().log_densities(kappa)).norm(), 1e-13 * n_);
  EXPECT_LT((single.log_density_gradients(kappa) - q().log_density_gradients(kappa)).norm(), 1e-12);
}

// ---- what does not fit together

TEST(Mixture, NeedsComponentsOfOneSize) {
  EXPECT_INPUT_ERROR(Mixture({}), "a mixture needs at least one component");
  Random random(1);
  EXPECT_INPUT_ERROR(mixture(mean_field(2, random), mean_field(3, random)),
                     "the components of a mixture differ in size");
}

TEST(Mixture, DensityFarFromAllComponentsDoesNotUnderflow) {
  const auto at = [](double mean) {
    return std::make_unique<MeanField>(gaussian::DiagonalGaussian(Vector::Constant(1, mean), Vector::Ones(1)));
  };
  // At 100 the nearer component has the density exp(-99^2/2) / sqrt(2 pi), which is no double.
  const Vector x = Vector::Constant(1, 100);
  const auto q = mixture(at(-1), at(1));
  EXPECT_NEAR(q->log_densities(x)[0], -0.5 * 99 * 99 - 0.5 * std::log(2 * std::numbers::pi) - std::log(2), 1e-9);
  EXPECT_NEAR(q->log_density_gradients(x)(0, 0), -99, 1e-12);
}

TEST(SparsePrecision, RefusesASparsePriorOutsideItsPattern) {
  Random random(1);
  const auto narrow = std::make_shared<linalg::CliqueTree>(linalg::create_graph(8, {}), linalg::natural_order(8),
                                                           linalg::Amalgamation::none);
  const auto q = sparse_precision(narrow, random);
  EXPECT_INPUT_ERROR(
      q->kl_divergence(*spde(interval())),
      "expected a sparse pattern that contains the precision matrix, found one without its entry (1, 0)");
}

}  // namespace
}  // namespace varimesh::variational::test
