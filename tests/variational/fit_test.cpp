#include "varimesh/variational/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "../expect_input_error.h"
#include "../paper_problems.h"
#include "linear_problem.h"
#include "varimesh/inverse/gaussian_mixture_prior.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/variational/importance.h"
#include "varimesh/variational/pattern.h"

namespace varimesh::variational {
namespace {

using result::FitStatus;
using testing::HasSubstr;

std::shared_ptr<const linalg::CliqueTree> pattern(const test::PaperProblem& problem, Index n) {
  return create_pattern(linalg::sharing_graph(problem.mesh.cell_nodes, topology(problem.mesh.cell_type).num_nodes,
                                              problem.mesh.num_nodes()),
                        n, PatternKind::graph, problem.posterior->gaussian_prior()->sparse_precision());
}

TEST(Fit, ABlackBoxThatDoesNotConvergeReturnsNothingWorseThanItsStart) {
  // Rough unknowns under an independent prior: first derivatives are too noisy for their curvature.
  const auto paper = varimesh::test::paper_1d(0.2);
  const auto likelihood = std::make_shared<inverse::GaussianLikelihood>(*paper.posterior->gaussian_likelihood());
  const inverse::Posterior posterior(likelihood,
                                     std::make_shared<inverse::IndependentPrior>(Vector::Zero(32), Vector::Ones(32)));
  FitOptions options{.family = FamilyKind::full_covariance, .first_derivatives_only = true};
  const FitResult natural = fit(posterior, options);
  options.optimizer = Optimizer::laplace;
  const FitResult laplace = fit(posterior, options);
  EXPECT_GT(natural.elbo.value + 4 * natural.elbo.standard_error, laplace.elbo.value - 4 * laplace.elbo.standard_error)
      << natural.message;
}

TEST(Fit, EveryFamilyAndOptimiserEndsWithAnElboAndSaysWhatItCost) {
  const test::PaperProblem problem = test::paper_1d(0.3);
  for (const FamilyKind family :
       {FamilyKind::mean_field, FamilyKind::full_covariance, FamilyKind::sparse_precision, FamilyKind::mixture}) {
    for (const Optimizer optimizer : {Optimizer::natural_gradient, Optimizer::laplace, Optimizer::adam}) {
      if (family == FamilyKind::mixture && optimizer != Optimizer::adam) continue;
      FitOptions options{.family = family, .optimizer = optimizer, .pattern = pattern(problem, 5), .elbo_samples = 100};
      options.adam.max_steps = 200;
      const FitResult result = fit(*problem.posterior, options);
      ASSERT_TRUE(result.q) << result.message;
      EXPECT_TRUE(std::isfinite(result.elbo.value));
      EXPECT_GT(result.counts.factorizations, 0);
      EXPECT_FALSE(result.seconds.empty());
      EXPECT_FALSE(result.message.empty());
      if (optimizer != Optimizer::adam) {
        EXPECT_EQ(result.status, FitStatus::converged) << result.message;
      }
    }
  }
}

TEST(Fit, CanBeStoppedInEveryPhase) {
  const test::PaperProblem problem = test::paper_1d(0.1);
  for (const bool first_derivatives_only : {false, true}) {
    const FitOptions options{.family = FamilyKind::full_covariance, .first_derivatives_only = first_derivatives_only};
    const FitResult early = fit(*problem.posterior, options, [](const result::TracePoint& point) {
      return point.samples > 0 || point.iteration < 2;
    });
    EXPECT_EQ(early.status, FitStatus::interrupted);
    EXPECT_FALSE(early.q);
    const FitResult late = fit(*problem.posterior, options, [](const result::TracePoint& point) {
      return point.samples == 0 || point.iteration < 2;
    });
    EXPECT_EQ(late.status, FitStatus::interrupted);
    EXPECT_TRUE(late.q);
    EXPECT_EQ(late.trace.size(), 2);
  }
}

TEST(Fit, CountsAddUp) {
  const test::PaperProblem problem = test::paper_1d(0.3);
  const FitResult result = fit(*problem.posterior, {.family = FamilyKind::full_covariance, .elbo_samples = 100});
  const result::Counts& counts = result.counts;
  EXPECT_EQ(counts.forward_solves, counts.values + counts.gradients + counts.jacobians);
  EXPECT_EQ(counts.factorizations, counts.forward_solves);
  EXPECT_EQ(counts.adjoint_solves, counts.gradients + (33 + 1) * counts.jacobians);  // 33 sensors, and the gradient
}

/// A small square with a sparse Matern prior.
struct SpdeProblem {
  mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {4, 4});
  std::shared_ptr<const inverse::SpdePrior> prior;
  std::shared_ptr<const inverse::Posterior> posterior;

  SpdeProblem() {
    const auto problem = std::make_shared<fem::EllipticProblem>(
        mesh, fem::one_per_cell(mesh), std::vector<fem::SourceTerm>{{.region = {}, .value = test::constant(1)}},
        std::vector<fem::BoundaryCondition>{test::dirichlet("left", test::constant(0))});
    prior = std::make_shared<inverse::SpdePrior>(mesh, inverse::SpdeSettings{.sigma = 0.5, .range = 1});
    const auto model = std::make_shared<inverse::EllipticModel>(
        problem, inverse::sensors_at_points(mesh, {{0.3, 0.4, 0}, {0.7, 0.2, 0}, {0.9, 0.8, 0}}, *problem));
    Random random(3);
    const Vector y = model->predict(prior->sample(random)) + 0.02 * random.normal_vector(3);
    posterior = std::make_shared<inverse::Posterior>(
        std::make_shared<inverse::GaussianLikelihood>(
            model, inverse::observe_means(y, Vector::Ones(3), Vector::Constant(3, 0.02))),
        prior);
  }

  FitOptions options(FamilyKind family, Index n) const {
    return {.family = family,
            .pattern = create_pattern(linalg::sharing_graph(mesh.cell_nodes, 3, mesh.num_nodes()), n,
                                      PatternKind::graph, prior->sparse_precision())};
  }
};

TEST(Fit, ASparseFamilyOnAllCellsIsAsGoodAsFullCovarianceForASparsePrior) {
  const SpdeProblem problem;
  const FitResult full = fit(*problem.posterior, problem.options(FamilyKind::full_covariance, 1));
  const FitResult sparse = fit(*problem.posterior, problem.options(FamilyKind::sparse_precision, 8));
  // Both are within their tolerance of 0.01 nats; the estimates have standard errors of about 0.01.
  EXPECT_NEAR(sparse.elbo.value, full.elbo.value, 0.03 + 2 * (sparse.elbo.standard_error + full.elbo.standard_error));
  // Marginal standard deviations, in which 0.03 nats are some per cent.
  EXPECT_LT((sparse.q->variance().cwiseSqrt() - full.q->variance().cwiseSqrt()).cwiseAbs().maxCoeff(), 0.02);
}

TEST(Fit, APartOfLowRankMakesASparsePrecisionMatrixAsGoodAsFullCovariance) {
  const test::PaperProblem problem = test::paper_1d(0.3);
  const FitResult full = fit(*problem.posterior, {.family = FamilyKind::full_covariance});
  FitOptions options{.pattern = pattern(problem, 1)};
  const FitResult sparse = fit(*problem.posterior, options);
  // Some directions across the domain that a tridiagonal matrix does not have.
  options.rank = 10;
  const FitResult both = fit(*problem.posterior, options);
  ASSERT_TRUE(both.rank);
  EXPECT_EQ(both.rank->rank, 10);
  const auto total_sd = [](const FitResult& result) {
    // of the sum over all cells
    const auto& q = dynamic_cast<const GaussianFamily&>(*result.q).gaussian();
    Vector ones = Vector::Ones(q.size());
    q.multiply_root_transposed(ones);
    return ones.norm();
  };
  EXPECT_GT(both.elbo.value, sparse.elbo.value);
  EXPECT_LT(std::abs(both.elbo.value - full.elbo.value), 0.5 * std::abs(sparse.elbo.value - full.elbo.value));
  EXPECT_LT(std::abs(total_sd(both) / total_sd(full) - 1), 0.5 * std::abs(total_sd(sparse) / total_sd(full) - 1));
  options.optimizer = Optimizer::laplace;
  EXPECT_INPUT_ERROR(fit(*problem.posterior, options),
                     "a part of low rank beside a sparse precision matrix needs natural gradients");
}

TEST(AddLowRank, OfFullRankIsTheExactPosteriorOfALinearProblem) {
  constexpr Index n = 12;
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(n), Vector::LinSpaced(n, 0.5, 2));
  const test::LinearGaussian problem = test::linear_gaussian(prior, test::smooth_rows(5, n, 2), 0.1);
  // A tridiagonal pattern, far from the truth.
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i + 1 < n; ++i) edges.emplace_back(i, i + 1);
  FitOptions options{.pattern = create_pattern(linalg::create_graph(n, edges), 1, PatternKind::graph, nullptr)};
  options.rank = n;
  const FitResult result = fit(*problem.posterior, options);
  const auto& q = dynamic_cast<const GaussianFamily&>(*result.q).gaussian();
  const Matrix covariance = q.covariance_times(Matrix::Identity(n, n));
  EXPECT_LT((covariance - problem.covariance).norm(), 1e-8 * problem.covariance.norm());
}

TEST(Fit, FirstDerivativesGetTheSameFitForASparsePrior) {
  const SpdeProblem problem;
  for (const FamilyKind family : {FamilyKind::mean_field, FamilyKind::sparse_precision, FamilyKind::full_covariance}) {
    FitOptions options = problem.options(family, 1);
    const FitResult gauss_newton = fit(*problem.posterior, options);
    options.first_derivatives_only = true;
    const FitResult stein = fit(*problem.posterior, options);
    EXPECT_EQ(stein.status, FitStatus::converged) << stein.message;
    EXPECT_EQ(stein.counts.jacobians, 0);
    EXPECT_NEAR(stein.elbo.value, gauss_newton.elbo.value,
                0.05 + 2 * (stein.elbo.standard_error + gauss_newton.elbo.standard_error));
  }
}

TEST(Fit, IsTheSameBitForBitOnOneAndTwoThreadsForASparsePrior) {
  const SpdeProblem problem;
  for (const bool first_derivatives_only : {false, true}) {
    FitOptions options = problem.options(FamilyKind::sparse_precision, 1);
    options.first_derivatives_only = first_derivatives_only;
    const FitResult one = fit(*problem.posterior, options);
    options.threads = 2;
    const FitResult two = fit(*problem.posterior, options);
    EXPECT_EQ(one.q->parameters(), two.q->parameters());
    EXPECT_EQ(one.elbo.value, two.elbo.value);
    EXPECT_EQ(one.counts, two.counts);
  }
}

/// A user's model gone wrong: NaN everywhere, or beyond some distance from zero.
class FailingModel final : public inverse::LogLikelihood {
 public:
  explicit FailingModel(double radius) : radius_(radius) {}
  Index num_parameters() const override { return 2; }
  double value(const Vector& kappa) const override {
    return kappa.norm() < radius_ ? -0.5 * kappa.squaredNorm() : std::numeric_limits<double>::quiet_NaN();
  }
  double value_and_gradient(const Vector& kappa, Vector& gradient) const override {
    gradient = -kappa;
    return value(kappa);
  }

 private:
  double radius_;
};

inverse::Posterior failing_posterior(double radius) {
  return {std::make_shared<FailingModel>(radius),
          std::make_shared<inverse::IndependentPrior>(Vector::Zero(2), Vector::Ones(2))};
}

TEST(Fit, AModelThatReturnsNanIsAStatusNotACrash) {
  for (const Optimizer optimizer : {Optimizer::natural_gradient, Optimizer::laplace, Optimizer::adam}) {
    const FitResult result = fit(failing_posterior(0), {.family = FamilyKind::full_covariance, .optimizer = optimizer});
    EXPECT_EQ(result.status, FitStatus::diverged);
    EXPECT_FALSE(result.message.empty());
  }
}

TEST(Fit, AModelThatFailsFarAwayIsFittedWhereItWorksAndSaysSo) {
  const FitResult result = fit(failing_posterior(1.5), {.family = FamilyKind::full_covariance});
  EXPECT_NE(result.status, FitStatus::converged);
  EXPECT_THAT(result.message, HasSubstr("the model fails at draws"));
}

/// A linear model whose derivative has the wrong sign.
class WrongDerivative final : public inverse::ForwardModel {
 public:
  Index num_parameters() const override { return 2; }
  Index num_predictions() const override { return 2; }
  Vector predict(const Vector& kappa) const override { return kappa; }
  std::unique_ptr<inverse::Linearization> linearize(const Vector& kappa) const override {
    return std::make_unique<At>(kappa);
  }

 private:
  class At final : public inverse::Linearization {
   public:
    explicit At(Vector kappa) : kappa_(std::move(kappa)) {}
    const Vector& prediction() const override { return kappa_; }
    Vector jacobian_transposed(const Vector& w) const override { return -w; }

   private:
    Vector kappa_;
  };
};

TEST(Fit, AWrongDerivativeIsNotConvergence) {
  const auto data = inverse::observe_means(Vector::Constant(2, 5), Vector::Ones(2), Vector::Constant(2, 0.1));
  const inverse::Posterior posterior(
      std::make_shared<inverse::GaussianLikelihood>(std::make_shared<WrongDerivative>(), data),
      std::make_shared<inverse::IndependentPrior>(Vector::Zero(2), Vector::Ones(2)));
  const FitResult result =
      fit(posterior, {.family = FamilyKind::full_covariance, .optimizer = Optimizer::laplace, .elbo_samples = 4});
  EXPECT_NE(result.status, FitStatus::converged) << result.message;
}

/// A prior that is not known to be normal.
class Unnamed final : public inverse::Prior {
 public:
  Index size() const override { return 2; }
  Vector sample(Random& random) const override { return random.normal_vector(2); }
  double log_density(const Vector& kappa) const override { return -0.5 * kappa.squaredNorm(); }
  double log_density_and_gradient(const Vector& kappa, Vector& gradient) const override {
    gradient = -kappa;
    return log_density(kappa);
  }
};

TEST(Fit, AdamTakesAnyPriorWithEveryFamily) {
  const inverse::Posterior posterior(std::make_shared<FailingModel>(1e3), std::make_shared<Unnamed>());
  for (const FamilyKind family :
       {FamilyKind::mean_field, FamilyKind::full_covariance, FamilyKind::sparse_precision, FamilyKind::mixture}) {
    FitOptions options{.family = family,
                       .optimizer = Optimizer::adam,
                       .pattern = create_pattern(linalg::create_graph(2, {}), 0, PatternKind::graph, nullptr),
                       .elbo_samples = 100};
    options.adam.max_steps = 500;
    const FitResult result = fit(posterior, options);
    ASSERT_TRUE(result.q) << result.message;
    // The posterior is N(0, 1/2). Steps of 0.01 take 500 to go as far as log sigma has to.
    EXPECT_LT((result.q->variance().array() - 0.5).abs().maxCoeff(), 0.15);
    EXPECT_INPUT_ERROR(fit(posterior, {.family = family == FamilyKind::mixture ? FamilyKind::mean_field : family,
                                       .pattern = options.pattern})
                           .status,
                       "natural gradients and the Laplace approximation need a normal prior: use the optimiser adam");
  }
}

TEST(Fit, OptionsThatMakeNoSenseAreNamed) {
  const test::PaperProblem problem = test::paper_1d(0.3);
  const auto run = [&](const FitOptions& options) { return fit(*problem.posterior, options).status; };
  EXPECT_INPUT_ERROR(run({}), "the sparse precision family needs a pattern");
  EXPECT_INPUT_ERROR(run({.family = FamilyKind::mixture}),
                     "a mixture has no natural gradient or Laplace approximation here: use the optimiser adam");
  EXPECT_INPUT_ERROR(run({.family = FamilyKind::mean_field, .threads = 0}), "expected 1 or more threads, found 0");
  EXPECT_INPUT_ERROR(run({.family = FamilyKind::mean_field, .elbo_samples = 0}),
                     "expected 4 or more samples for the ELBO, found 0");
  const auto small = create_pattern(linalg::create_graph(3, {}), 0, PatternKind::graph, nullptr);
  EXPECT_INPUT_ERROR(run({.pattern = small}), "the pattern has 3 unknowns, but the posterior 32");
  EXPECT_INPUT_ERROR(create_pattern(linalg::create_graph(3, {}), -1, PatternKind::band, nullptr),
                     "expected neighbourhoods of 0 or more steps, found -1");
}

TEST(Importance, TheExactPosteriorIsGoodAndAPoorApproximationIsNot) {
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(6), Vector::Ones(6));
  const test::LinearGaussian problem = test::linear_gaussian(prior, test::smooth_rows(4, 6, 1), 0.05);
  Evaluator evaluator(*problem.posterior, 1);
  const FitResult exact = fit(*problem.posterior, {.family = FamilyKind::full_covariance});
  const ImportanceCheck good = check_importance(evaluator, *exact.q, 2000, 1);
  EXPECT_EQ(good.psis.verdict, diagnostics::Verdict::good) << good.verdict;
  ASSERT_TRUE(good.corrected);
  for (Index i = 0; i < 6; ++i)
    EXPECT_LT(std::abs(good.corrected->mean[i] - problem.mean[i]), 4 * good.corrected->standard_error[i]);
  // Mean field is far too narrow here.
  const FitResult narrow = fit(*problem.posterior, {.family = FamilyKind::mean_field});
  const ImportanceCheck bad = check_importance(evaluator, *narrow.q, 2000, 1);
  EXPECT_NE(bad.psis.verdict, diagnostics::Verdict::good) << bad.verdict;
  EXPECT_FALSE(bad.corrected);
}

}  // namespace
}  // namespace varimesh::variational
