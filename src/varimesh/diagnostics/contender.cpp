#include "varimesh/diagnostics/contender.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "varimesh/diagnostics/extreme.h"
#include "varimesh/error.h"
#include "varimesh/linalg/dense.h"

namespace varimesh::diagnostics {
namespace {

constexpr Index draws_at_a_time = 512;

/// Adds the products of deviations of draws, in columns, from their mean, to the lower triangle.
template <class Draws>
void add_products(const Draws& draws, Eigen::Index count, const Vector& mean, double factor, Matrix& covariance) {
  for (Eigen::Index first = 0; first < count; first += draws_at_a_time) {
    const Eigen::Index columns = std::min<Eigen::Index>(draws_at_a_time, count - first);
    const Matrix deviations = (draws.middleCols(first, columns).colwise() - mean).transpose();
    linalg::add_gram(deviations, factor, covariance);
  }
}

}  // namespace

Contender summarize(std::string name, const gaussian::Gaussian& q) {
  const Index n = q.size();
  Contender result{.name = std::move(name),
                   .mean = q.mean(),
                   .sd = q.variance().cwiseSqrt(),
                   .mean_error = Vector::Zero(n),
                   .sd_error = Vector::Zero(n)};
  if (n <= most_unknowns_with_covariance) {
    result.covariance = q.covariance_times(Matrix::Identity(n, n));
    linalg::symmetrize(*result.covariance);
  }
  return result;
}

Contender summarize(std::string name, const result::Draws& draws, const std::vector<QuantityDiagnostics>& unknowns) {
  const Index n = draws.size();
  if (static_cast<Index>(unknowns.size()) != n)
    throw InputError(fmt::format("expected diagnostics of {} unknowns, found {}", n, unknowns.size()));
  Contender result{
      .name = std::move(name), .mean = Vector(n), .sd = Vector(n), .mean_error = Vector(n), .sd_error = Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const QuantityDiagnostics& unknown = unknowns[i];
    result.mean[i] = unknown.mean;
    result.sd[i] = unknown.sd;
    result.mean_error[i] = unknown.mcse_mean;
    result.sd_error[i] = unknown.mcse_sd;
  }
  result.effective_draws =
      find_extreme(n, [&](Index i) { return unknowns[i].ess_bulk; }, [](double ess) { return -ess; }).value;
  if (n <= most_unknowns_with_covariance) {
    // 1 / (S - 1) sum (kappa_s - mean) (kappa_s - mean)', over the draws that the means are of
    const Index each = draws.num_draws();
    const double factor = 1 / (static_cast<double>(each) * draws.num_chains() - 1);
    result.covariance = Matrix::Zero(n, n);
    for (Index c = 0; c < draws.num_chains(); ++c)
      add_products(draws.chain(c), each, result.mean, factor, *result.covariance);
    linalg::symmetrize(*result.covariance);
  }
  return result;
}

Contender summarize_independent(std::string name, const Matrix& draws) {
  if (draws.cols() < 2) throw InputError(fmt::format("expected at least two draws, found {}", draws.cols()));
  const auto n = static_cast<Index>(draws.rows());
  const auto count = static_cast<double>(draws.cols());
  Contender result{.name = std::move(name),
                   .mean = draws.rowwise().mean(),
                   .sd = Vector(n),
                   .mean_error = Vector(n),
                   .sd_error = Vector(n)};
  // Variances m2 and fourth moments m4 of the draws; the sd's error^2 = (m4 - m2^2) / (4 m2 S)
  Vector second = Vector::Zero(n), fourth = Vector::Zero(n);
  for (Eigen::Index s = 0; s < draws.cols(); ++s) {
    const auto squares = (draws.col(s) - result.mean).array().square();
    second.array() += squares / count;
    fourth.array() += squares.square() / count;
  }
  result.sd = (second * count / (count - 1)).cwiseSqrt();
  result.mean_error = result.sd / std::sqrt(count);
  result.sd_error = ((fourth.array() - second.array().square()) / (4 * count * second.array())).sqrt();
  result.effective_draws = count;
  if (n <= most_unknowns_with_covariance) {
    result.covariance = Matrix::Zero(n, n);
    add_products(draws, draws.cols(), result.mean, 1 / (count - 1), *result.covariance);
    linalg::symmetrize(*result.covariance);
  }
  return result;
}

}  // namespace varimesh::diagnostics
