// Fits of low rank against closed forms and against the full covariance.
#include "varimesh/variational/low_rank.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "../expect_input_error.h"
#include "../paper_problems.h"
#include "linear_problem.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/variational/fit.h"

namespace varimesh::variational {
namespace {

using result::FitStatus;

FitOptions low_rank() { return {.family = FamilyKind::low_rank}; }

TEST(LowRankFit, AgreesWithTheFullCovarianceOnThePapersProblem) {
  for (const bool first_derivatives_only : {false, true}) {
    const test::PaperProblem problem = test::paper_1d(0.2);
    FitOptions options = low_rank();
    options.first_derivatives_only = first_derivatives_only;
    const FitResult low = fit(*problem.posterior, options);
    options.family = FamilyKind::full_covariance;
    const FitResult full = fit(*problem.posterior, options);
    ASSERT_EQ(low.status, FitStatus::converged) << low.message;
    ASSERT_EQ(full.status, FitStatus::converged) << full.message;
    // Both are within their tolerance, 0.01 nats, of the best; the estimates have their errors. A black box keeps the
    // directions found at the most probable kappa, which costs some hundredths.
    const double tolerance = first_derivatives_only ? 0.2 : 0.02;
    EXPECT_NEAR(low.elbo.value, full.elbo.value,
                tolerance + 4 * std::hypot(low.elbo.standard_error, full.elbo.standard_error));
    // KL of 0.02 nats: means within 0.2 sds, and sds within some per cent.
    const Vector sd = full.q->variance().cwiseSqrt();
    EXPECT_LT((low.q->mean() - full.q->mean()).cwiseQuotient(sd).lpNorm<Eigen::Infinity>(), 0.2);
    EXPECT_LT((low.q->variance().cwiseSqrt().cwiseQuotient(sd).array() - 1).abs().maxCoeff(), 0.1);
    ASSERT_TRUE(low.rank);
    EXPECT_GT(low.rank->rank, 0);
    EXPECT_LE(low.rank->rank, 32);
  }
}

/// A linear problem with more unknowns than are kept as a matrix, whose rows are gathered through a sketch: by rows,
/// or, where there are very many of them, by products.
TEST(LowRankFit, ASketchFindsThePosteriorOfALinearProblem) {
  constexpr Index n = 1200;
  std::vector<Point> points;
  for (Index i = 0; i < n; ++i) points.emplace_back((i + 0.5) / n, 0, 0);
  const auto prior = std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.type = inverse::KernelType::matern32, .length_scale = {0.1, 0.1, 0.1}}, points, 0, 1e-6);
  for (const Index rows : {30, 650, 2000}) {
    const Matrix a = test::smooth_rows(rows, n, 1) / std::sqrt(n);
    const test::LinearGaussian problem = test::linear_gaussian(prior, a, 1);
    const FitResult result = fit(*problem.posterior, low_rank());
    ASSERT_EQ(result.status, FitStatus::converged) << result.message;
    // What is left out costs 2e-4 nats or less, and the fit its tolerance of 0.01: the mean is off by 0.15 sds at most.
    EXPECT_NEAR(result.elbo.value, problem.log_evidence, 0.02 + 4 * result.elbo.standard_error);
    const Vector sd = problem.covariance.diagonal().cwiseSqrt();
    EXPECT_LT((result.q->mean() - problem.mean).cwiseQuotient(sd).lpNorm<Eigen::Infinity>(), 0.15);
    const Vector ratio = result.q->variance().cwiseSqrt().cwiseQuotient(sd);
    ASSERT_TRUE(result.rank);
    EXPECT_GT(ratio.minCoeff(), 1 - 1e-6);
    EXPECT_LT(ratio.maxCoeff(), 1 + result.rank->sd + 1e-6);
    EXPECT_LT(result.rank->nats, 1e-3);
  }
}

TEST(LowRankFit, AFullRankIsFoundToo) {
  // Every unknown is measured by itself, five times as well as it is known beforehand: the sketch grows up to all of
  // them.
  constexpr Index n = 1100;
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(n), Vector::Ones(n));
  const inverse::Posterior posterior(
      std::make_shared<inverse::GaussianLikelihood>(
          std::make_shared<test::LinearModel>(Matrix::Identity(n, n)),
          inverse::observe_means(Vector::Ones(n), Vector::Ones(n), Vector::Constant(n, 0.2))),
      prior);
  FitOptions options = low_rank();
  options.optimizer = Optimizer::laplace;
  options.elbo_samples = 4;
  const FitResult result = fit(posterior, options);
  ASSERT_TRUE(result.q) << result.message;
  EXPECT_EQ(result.rank->rank, n);
  // The shift that makes the decomposition stable is some 1e-12 of the largest eigenvalue.
  EXPECT_LT((result.q->variance().array() * 26 - 1).abs().maxCoeff(), 1e-6);
  EXPECT_LT((result.q->mean().array() * 26 / 25 - 1).abs().maxCoeff(), 1e-6);
}

/// The mean of some cells around a sensor.
class SparseRows final : public inverse::ForwardModel {
 public:
  SparseRows(Index unknowns, Index sensors) : unknowns_(unknowns), sensors_(sensors) {}
  Index num_parameters() const override { return unknowns_; }
  Index num_predictions() const override { return sensors_; }
  Vector predict(const Vector& kappa) const override {
    return Vector::NullaryExpr(sensors_, [&](Eigen::Index s) { return kappa.segment(first(s), width).mean(); });
  }
  Vector transposed(const Vector& w) const {
    Vector result = Vector::Zero(unknowns_);
    for (Index s = 0; s < sensors_; ++s) result.segment(first(s), width).array() += w[s] / width;
    return result;
  }
  std::unique_ptr<inverse::Linearization> linearize(const Vector& kappa) const override {
    return std::make_unique<At>(*this, predict(kappa));
  }

 private:
  class At final : public inverse::Linearization {
   public:
    At(const SparseRows& model, Vector prediction) : model_(model), prediction_(std::move(prediction)) {}
    const Vector& prediction() const override { return prediction_; }
    Vector jacobian_transposed(const Vector& w) const override { return model_.transposed(w); }

   private:
    const SparseRows& model_;
    Vector prediction_;
  };
  static constexpr Index width = 40;
  Eigen::Index first(Eigen::Index s) const { return s * (unknowns_ - width) / sensors_; }

  Index unknowns_, sensors_;
};

TEST(LowRankFit, LaplaceIsExactOnALinearProblemOfAHundredThousandUnknowns) {
  const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {224, 224});
  const auto prior =
      std::make_shared<inverse::SpdePrior>(mesh, inverse::SpdeSettings{.sigma = 0.7, .range = 0.3, .mean = 1});
  const Index n = prior->size(), m = 60;
  const auto model = std::make_shared<SparseRows>(n, m);
  Random random(3);
  const Vector y = random.normal_vector(m);
  constexpr double sigma = 0.1;
  const inverse::Posterior posterior(std::make_shared<inverse::GaussianLikelihood>(
                                         model, inverse::observe_means(y, Vector::Ones(m), Vector::Constant(m, sigma))),
                                     prior);
  FitOptions options = low_rank();
  options.optimizer = Optimizer::laplace;
  options.elbo_samples = 4;
  const FitResult result = fit(posterior, options);
  ASSERT_EQ(result.status, FitStatus::converged) << result.message;

  // The closed form by the m x m matrix of the data: mean = m + K A' (A K A' + sigma^2)^-1 (y - A m), and
  // covariance = K - K A' (A K A' + sigma^2)^-1 A K.
  Matrix at(n, m);
  for (Index s = 0; s < m; ++s) at.col(s) = model->transposed(Vector::Unit(m, s));
  const Matrix kat = prior->gaussian().covariance_times(at);
  Matrix s = at.transpose() * kat;
  s.diagonal().array() += sigma * sigma;
  const Eigen::LLT<Matrix> llt(s);
  const Vector mean = prior->gaussian().mean() + kat * llt.solve(y - model->predict(prior->gaussian().mean()));
  const Vector prior_variance = prior->gaussian().variance();
  const Vector variance = result.q->variance();
  for (Index k = 0; k < 1000; ++k) {
    const Index i = static_cast<Index>(static_cast<long long>(k) * n / 1000);
    const Vector row = kat.row(i).transpose();
    EXPECT_NEAR(result.q->mean()[i], mean[i], 1e-6);
    EXPECT_NEAR(std::sqrt(variance[i]), std::sqrt(prior_variance[i] - row.dot(llt.solve(row))), 1e-6);
  }
  // A linear functional of the whole field, as the flux of a linear problem is.
  Vector functional =
      Vector::NullaryExpr(n, [&](Eigen::Index i) { return std::sin(1e-3 * static_cast<double>(i)) / n; });
  const Vector kf = prior->gaussian().covariance_times(functional);
  const Vector af = at.transpose() * kf;
  const auto& q = dynamic_cast<const GaussianFamily&>(*result.q).gaussian();
  const double sd = std::sqrt(functional.dot(kf) - af.dot(llt.solve(af)));
  EXPECT_NEAR(std::sqrt(functional.dot(Vector(q.covariance_times(functional)))), sd, 1e-6 * sd);
}

TEST(LowRankFit, DoesNotDependOnTheNumberOfThreads) {
  const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {24, 24});
  const auto prior = std::make_shared<inverse::SpdePrior>(mesh, inverse::SpdeSettings{.range = 0.3});
  const inverse::Posterior posterior(
      std::make_shared<inverse::GaussianLikelihood>(
          std::make_shared<SparseRows>(prior->size(), 50),
          inverse::observe_means(Vector::Ones(50), Vector::Ones(50), Vector::Constant(50, 0.3))),
      prior);
  FitOptions options = low_rank();
  options.elbo_samples = 8;
  const FitResult one = fit(posterior, options);
  options.threads = 3;
  const FitResult three = fit(posterior, options);
  EXPECT_EQ(one.q->mean(), three.q->mean());
  EXPECT_EQ(one.q->variance(), three.q->variance());
  EXPECT_EQ(one.elbo.value, three.elbo.value);
}

TEST(LowRankFit, AdamIsRefused) {
  const test::PaperProblem problem = test::paper_1d(0.2);
  FitOptions options = low_rank();
  options.optimizer = Optimizer::adam;
  EXPECT_INPUT_ERROR(fit(*problem.posterior, options),
                     "Adam does not fit covariances of low rank: use natural gradients, or full covariance");
}

}  // namespace
}  // namespace varimesh::variational
