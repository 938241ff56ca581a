#include "varimesh/diagnostics/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/linalg/dense.h"

namespace varimesh::diagnostics {
namespace {

/// An estimated covariance can be inverted if there are so many effective draws for each unknown: then its inverse is
/// biased by a quarter at most.
constexpr double fewest_draws_per_unknown = 5;

/// L of C = L L', if that is worth anything.
std::optional<Matrix> find_root(const Contender& contender) {
  if (!contender.covariance) return std::nullopt;
  if (contender.effective_draws && !(*contender.effective_draws >= fewest_draws_per_unknown * contender.size()))
    return std::nullopt;
  Matrix root = *contender.covariance;
  if (!linalg::cholesky(root)) return std::nullopt;
  return root;
}

Matrix inverse(const Matrix& root) {
  Matrix half = Matrix::Identity(root.rows(), root.cols());
  linalg::solve_triangular(root, linalg::Transpose::no, half);
  return linalg::transposed_product(half, half);
}

/// E|A_S - A|_F^2 / |A|_F^2 = ((tr A)^2 + |A|_F^2) / (S |A|_F^2), A a covariance from S draws or, to leading order, its
/// inverse.
double noise(const Matrix& a, const Contender& contender) {
  if (!contender.effective_draws) return 0;
  const double trace = a.trace();
  return (trace * trace / a.squaredNorm() + 1) / *contender.effective_draws;
}

Estimate relative_difference(const Matrix& a, const Contender& result, const Matrix& b, const Contender& referee) {
  const double scale = a.squaredNorm() / b.squaredNorm();
  return {(a - b).norm() / b.norm(), std::sqrt(scale * noise(a, result) + noise(b, referee))};
}

/// KL(N(m1, L1 L1') | N(m2, L2 L2')) with m = m1 - m2.
double kl_divergence(const Vector& m, const Matrix& root1, const Matrix& root2) {
  // With A = L2^-1 L1, lower triangular, and z = L2^-1 m:
  // 1/2 (sum_{i>j} A_ij^2 + sum_i (A_ii^2 - 1 - log A_ii^2) + |z|^2), a sum of terms that are not negative
  Matrix a = root1;
  linalg::solve_triangular(root2, linalg::Transpose::no, a);
  Matrix z = m;
  linalg::solve_triangular(root2, linalg::Transpose::no, z);
  double sum = z.squaredNorm() + a.triangularView<Eigen::StrictlyLower>().toDenseMatrix().squaredNorm();
  for (const double diagonal : a.diagonal()) {
    const double excess = (diagonal - 1) * (diagonal + 1);
    sum += excess - std::log1p(excess);
  }
  return 0.5 * sum;
}

/// n (n + 3) / (4 ESS) nats.
double kl_bias(const Contender& contender) {
  const double n = contender.size();
  return contender.effective_draws ? n * (n + 3) / (4 * *contender.effective_draws) : 0;
}

void compare_moments(const Contender& result, const Contender& referee, Comparison& comparison) {
  const auto sd = result.sd.array(), sd_ref = referee.sd.array();
  const auto sd_noise = (result.sd_error.array() / sd).square(),
             sd_ref_noise = (referee.sd_error.array() / sd_ref).square();
  // shift = (m - m_ref) / s_ref:  error^2 = (e^2 + e_ref^2) / s_ref^2 + shift^2 (error of s_ref / s_ref)^2
  comparison.mean_shift = (result.mean - referee.mean).array() / sd_ref;
  comparison.mean_shift_error =
      ((result.mean_error.array().square() + referee.mean_error.array().square()) / sd_ref.square() +
       comparison.mean_shift.array().square() * sd_ref_noise)
          .sqrt();
  // ratio = s / s_ref:  error^2 = ratio^2 ((error of s / s)^2 + (error of s_ref / s_ref)^2)
  comparison.sd_ratio = sd / sd_ref;
  comparison.sd_ratio_error = comparison.sd_ratio.array() * (sd_noise + sd_ref_noise).sqrt();
  comparison.largest_mean_shift = find_extreme(
      result.size(), [&](Index i) { return comparison.mean_shift[i]; }, [](double shift) { return std::abs(shift); });
  comparison.largest_sd_ratio = find_extreme(
      result.size(), [&](Index i) { return comparison.sd_ratio[i]; },
      [](double ratio) { return std::abs(std::log(ratio)); });
}

void compare_covariances(const Contender& result, const Contender& referee, Comparison& comparison) {
  if (!result.covariance || !referee.covariance) return;
  comparison.covariance_difference = relative_difference(*result.covariance, result, *referee.covariance, referee);
  const std::optional<Matrix> root = find_root(result), root_ref = find_root(referee);
  if (!root || !root_ref) return;
  comparison.precision_difference = relative_difference(inverse(*root), result, inverse(*root_ref), referee);
  const Vector shift = result.mean - referee.mean;
  const double bias = kl_bias(result) + kl_bias(referee);
  comparison.kl_result_referee = Estimate{kl_divergence(shift, *root, *root_ref), bias};
  comparison.kl_referee_result = Estimate{kl_divergence(shift, *root_ref, *root), bias};
}

Cost cost_of(const Contender& contender) {
  Cost cost{.name = contender.name,
            .seconds = contender.seconds,
            .solves = contender.solves(),
            .effective_draws = contender.effective_draws,
            .khat = contender.khat};
  if (cost.effective_draws && cost.seconds > 0) cost.ess_per_second = *cost.effective_draws / cost.seconds;
  if (cost.effective_draws && cost.solves > 0)
    cost.ess_per_solve = *cost.effective_draws / static_cast<double>(cost.solves);
  return cost;
}

std::optional<double> ratio(std::optional<double> above, std::optional<double> below) {
  if (!above || !below || !(*above > 0) || !(*below > 0)) return std::nullopt;
  return *above / *below;
}

}  // namespace

Comparison compare(const Contender& result, const Contender& referee) {
  if (result.size() != referee.size())
    throw InputError(fmt::format("expected results of as many unknowns, found {} of {} and {} of {}", result.size(),
                                 result.name, referee.size(), referee.name));
  Comparison comparison;
  compare_moments(result, referee, comparison);
  compare_covariances(result, referee, comparison);
  comparison.result = cost_of(result);
  comparison.referee = cost_of(referee);
  const Cost &ours = comparison.result, &theirs = comparison.referee;
  comparison.speedup_seconds = ratio(theirs.seconds, ours.seconds);
  comparison.speedup_solves = ratio(static_cast<double>(theirs.solves), static_cast<double>(ours.solves));
  comparison.speedup_ess_per_second = ratio(ours.ess_per_second, theirs.ess_per_second);
  comparison.speedup_ess_per_solve = ratio(ours.ess_per_solve, theirs.ess_per_solve);
  return comparison;
}

}  // namespace varimesh::diagnostics
