#include "varimesh/calibration/score.h"

#include <algorithm>
#include <cmath>

#include "varimesh/constants.h"
#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/diagnostics/quantity.h"

namespace varimesh::calibration {
namespace {

Index count_below(const std::vector<double>& draws, double truth) {
  return static_cast<Index>(std::ranges::count_if(draws, [&](double x) { return x < truth; }));
}

/// How many draws are about independent: two autocorrelation times apart.
Index num_independent(const Matrix& draws, DrawKind kind) {
  if (kind == DrawKind::independent) return rank_draws;
  const double ess = std::min(diagnostics::ess_bulk(draws), diagnostics::ess_tail(draws));
  if (!(ess >= 2)) return 0;  // also if it is not known
  return static_cast<Index>(std::min<double>(rank_draws, ess / 2));
}

}  // namespace

QuantityScore score(const Matrix& draws, DrawKind kind, double truth) {
  QuantityScore result{truth, nan, nan, nan, 0, 0};
  std::vector<double> finite;
  std::ranges::copy_if(draws.reshaped(), std::back_inserter(finite), [](double x) { return std::isfinite(x); });
  if (finite.size() < 2 || !std::isfinite(truth)) return result;
  const Eigen::Map<const Vector> values(finite.data(), std::ssize(finite));
  const auto count = static_cast<double>(finite.size());
  result.mean = values.mean();
  result.sd = std::sqrt((values.array() - result.mean).square().sum() / (count - 1));
  // What the loads alone fix varies by rounding only.
  if (!(result.sd > 1e-9 * std::abs(result.mean))) return result;
  // The middle of the gap between draws that holds the truth; each of the S + 1 gaps is equally likely.
  result.place = (count_below(finite, truth) + 0.5) / (count + 1);
  std::vector<double> chosen;
  for (const Index i : diagnostics::evenly_spaced(static_cast<Index>(finite.size()), num_independent(draws, kind)))
    chosen.push_back(finite[static_cast<std::size_t>(i)]);
  result.rank = count_below(chosen, truth);
  result.of = static_cast<Index>(chosen.size());
  return result;
}

FieldScore score_field(const result::MethodRecord& method, const Vector& truth, const FieldPrior& prior) {
  FieldScore result;
  const auto unknowns = static_cast<Index>(truth.size());
  Vector below = Vector::Zero(unknowns);
  for (Index c = 0; c < method.draws.num_chains(); ++c) {
    const auto kappa = method.draws.chain(c).leftCols(method.draws.num_draws());
    for (Eigen::Index s = 0; s < kappa.cols(); ++s)
      below.array() += (kappa.col(s).array() < truth.array()).cast<double>();
  }
  const Vector place = (below.array() + 0.5) / (method.num_draws() + 1.0);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Eigen::Index inside = ((place.array() - 0.5).abs() <= levels[k] / 2).count();
    result.coverage[k] = static_cast<double>(inside) / unknowns;
  }
  const Vector z = (truth - method.kappa.mean).cwiseQuotient(method.kappa.sd);
  result.z_rms = std::sqrt(z.squaredNorm() / unknowns);
  const auto sd = method.kappa.sd.head(prior.volume.size());
  result.contraction = 1 - prior.volume.dot(sd.cwiseAbs2()) / prior.volume.dot(prior.variance);
  return result;
}

}  // namespace varimesh::calibration
