#include "varimesh/diagnostics/leave_one_out.h"

#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "varimesh/random.h"

namespace varimesh::diagnostics {
namespace {

/// y = G x + noise, x ~ N(0, I): everything is in closed form.
struct LinearGaussian {
  Matrix g;
  Vector y, standard_error;

  LinearGaussian(Index unknowns, Index sensors, std::uint64_t seed) {
    Random random(seed);
    g = random.normal_matrix(sensors, unknowns);
    standard_error = 0.5 + 0.3 * random.normal_vector(sensors).array().abs();
    y = g * random.normal_vector(unknowns) + standard_error.cwiseProduct(random.normal_vector(sensors));
  }

  struct Normal {
    Vector mean;
    Matrix covariance;
  };
  /// The posterior without one sensor, or with all (-1).
  Normal posterior(Index without) const {
    Vector weight = standard_error.array().square().inverse();
    if (without >= 0) weight[without] = 0;
    const Matrix precision = Matrix::Identity(g.cols(), g.cols()) + g.transpose() * weight.asDiagonal() * g;
    const Matrix covariance = precision.inverse();
    return {covariance * (g.transpose() * weight.cwiseProduct(y)), covariance};
  }
};

double normal_log_density(double x, double sd) {
  return -0.5 * x * x / (sd * sd) - std::log(sd * std::sqrt(2 * std::numbers::pi));
}

TEST(LeaveOneOut, LeveragesGiveWhatARepeatedInferenceGives) {
  const LinearGaussian problem(6, 15, 1);
  const auto all = problem.posterior(-1);
  const Vector h =
      (problem.g * all.covariance * problem.g.transpose()).diagonal().array() / problem.standard_error.array().square();
  const result::LeaveOneOut found = leave_each_out_linearly(problem.y, problem.g * all.mean, problem.standard_error, h);
  for (Index i = 0; i < 15; ++i) {
    const auto without = problem.posterior(i);
    const double mean = problem.g.row(i) * without.mean;
    const double sd = std::sqrt((problem.g.row(i) * without.covariance * problem.g.row(i).transpose())(0));
    EXPECT_NEAR(found.mean[i], mean, 1e-10);
    EXPECT_NEAR(found.sd[i], sd, 1e-10);
    const double spread = std::hypot(sd, problem.standard_error[i]);
    EXPECT_NEAR(found.residual[i], (problem.y[i] - mean) / spread, 1e-10);
    EXPECT_NEAR(found.elpd[i], normal_log_density(problem.y[i] - mean, spread), 1e-10);
  }
}

/// Draws of N(mean, scale^2 covariance), and the logarithms of posterior over their density.
struct WeightedDraws {
  Matrix x;
  Vector log_weights;
};
WeightedDraws draw(const LinearGaussian::Normal& posterior, double shift, double scale, Index count) {
  Random random(3);
  const Matrix z = random.normal_matrix(static_cast<Index>(posterior.mean.size()), count);
  const Matrix root = posterior.covariance.llt().matrixL();
  const Vector off = shift * Vector::Ones(posterior.mean.size());
  // x = mean + L (off + scale z), so that log posterior - log q = -1/2 |off + scale z|^2 + 1/2 |z|^2
  const Matrix moved = (scale * z).colwise() + off;
  return {(root * moved).colwise() + posterior.mean,
          0.5 * (z.colwise().squaredNorm() - moved.colwise().squaredNorm()).transpose()};
}

void expect_as_repeated(const LinearGaussian& problem, const result::LeaveOneOut& found) {
  for (Index i = 0; i < found.size(); ++i) {
    if (found.khat[i] > 0.5) continue;  // heavier tails converge more slowly
    const auto without = problem.posterior(i);
    const double mean = problem.g.row(i) * without.mean;
    const double sd = std::sqrt((problem.g.row(i) * without.covariance * problem.g.row(i).transpose())(0));
    // 20,000 draws, of which weights with k-hat up to 0.5 leave a few hundred: five standard errors
    EXPECT_NEAR(found.mean[i], mean, 0.2 * sd) << "sensor " << i << " with k-hat " << found.khat[i];
    EXPECT_NEAR(found.sd[i], sd, 0.25 * sd) << "sensor " << i;
  }
}

TEST(LeaveOneOut, WeightedDrawsGiveWhatARepeatedInferenceGives) {
  const LinearGaussian problem(6, 15, 1);
  const WeightedDraws draws = draw(problem.posterior(-1), 0, 1, 20000);
  const auto found = leave_each_out(problem.y, problem.g * draws.x, problem.standard_error, Vector(0), 1);
  EXPECT_GE((found.khat.array() <= 0.5).count(), 8);
  expect_as_repeated(problem, found);
  const auto on_threads = leave_each_out(problem.y, problem.g * draws.x, problem.standard_error, Vector(0), 3);
  EXPECT_EQ(found.mean, on_threads.mean);
}

TEST(LeaveOneOut, AnApproximationsFaultIsNotTheDatas) {
  const LinearGaussian problem(6, 15, 1);
  // off by half an sd in every direction, and a quarter too wide
  const WeightedDraws draws = draw(problem.posterior(-1), 0.5, 1.25, 20000);
  const auto weighted = leave_each_out(problem.y, problem.g * draws.x, problem.standard_error, draws.log_weights, 1);
  EXPECT_GE((weighted.khat.array() <= 0.5).count(), 8);
  expect_as_repeated(problem, weighted);
}

TEST(LeaveOneOut, DrawsAtWhichTheModelFailedWeighNothing) {
  const LinearGaussian problem(4, 10, 2);
  const WeightedDraws draws = draw(problem.posterior(-1), 0, 1, 400);
  const Matrix predictions = problem.g * draws.x;
  Matrix with_failures(predictions.rows(), predictions.cols() + 1);
  with_failures << predictions, Vector::Constant(predictions.rows(), std::nan(""));
  const auto found = leave_each_out(problem.y, with_failures, problem.standard_error, Vector(0), 1);
  EXPECT_TRUE(found.mean.allFinite());
  EXPECT_TRUE(found.residual.allFinite());
}

TEST(LeaveOneOut, SensorsComeInTheOrderOfTheirResiduals) {
  result::LeaveOneOut found;
  found.residual = Eigen::Vector4d(1, -3, std::nan(""), 2);
  EXPECT_THAT(found.by_residual(), testing::ElementsAre(1, 3, 0, 2));
}

TEST(LeaveOneOut, TheMisfitOfALinearModelIsThatOfItsResiduals) {
  const LinearGaussian problem(6, 15, 5);
  const auto all = problem.posterior(-1);
  const Vector predicted = problem.g * all.mean;
  const Vector h =
      (problem.g * all.covariance * problem.g.transpose()).diagonal().array() / problem.standard_error.array().square();
  const Misfit found =
      misfit(leave_each_out_linearly(problem.y, predicted, problem.standard_error, h), problem.standard_error);
  EXPECT_NEAR(found.sum, (problem.y - predicted).cwiseQuotient(problem.standard_error).squaredNorm(), 1e-10);
  EXPECT_NEAR(found.freedom, 15 - h.sum(), 1e-10);
}

TEST(LeaveOneOut, TheMisfitInSdsIsThatOfChiSquare) {
  // Chi-square of 12 degrees exceeds 26.217 with probability 0.01 and 3.571 with 0.99.
  const auto sds = [](double sum) {
    result::LeaveOneOut found;
    found.residual = Vector::Constant(12, std::sqrt(sum / 12));
    found.sd = Vector::Zero(12);
    return misfit(found, Vector::Ones(12)).sds;
  };
  EXPECT_NEAR(sds(26.217), 2.326, 0.03);
  EXPECT_NEAR(sds(3.571), -2.326, 0.03);
}

}  // namespace
}  // namespace varimesh::diagnostics
