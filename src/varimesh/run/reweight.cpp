#include "varimesh/run/reweight.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "varimesh/diagnostics/density.h"
#include "varimesh/diagnostics/psis.h"

namespace varimesh::run {
namespace {

Vector weights_of(const Vector& log_weights) {
  const Vector weights = (log_weights.array() - log_weights.maxCoeff()).exp();
  return weights / weights.sum();
}

std::pair<double, double> weighted_moments(const Vector& values, const Vector& weights) {
  const double mean = weights.dot(values);
  return {mean, std::sqrt(weights.dot((values.array() - mean).square().matrix()))};
}

/// Which draw stands at each place: the one within whose share of [0, 1] the place's middle lies.
std::vector<Index> systematic_choice(const Vector& weights) {
  const auto count = static_cast<Index>(weights.size());
  std::vector<Index> chosen;
  double end = weights[0];
  for (Index place = 0, draw = 0; place < count; ++place) {
    while (draw + 1 < count && (place + 0.5) / count > end) end += weights[++draw];
    chosen.push_back(draw);
  }
  return chosen;
}

}  // namespace

Reweighted reweight(const Vector& values, const Vector& log_weights) {
  const auto [mean, sd] = weighted_moments(values, weights_of(log_weights));
  // w (x - mean)^2; a draw at the mean itself says nothing of the tail
  const Vector log_products =
      log_weights.array() + (values.array() - mean).square().max(std::numeric_limits<double>::min()).log();
  return {mean, sd, diagnostics::psis(log_products).khat};
}

double effective_draws(const Vector& values, const Vector& log_weights) {
  const Vector weights = weights_of(log_weights);
  // var(f) / var(sum w f) with var(sum w f) = sum w^2 (f - mean)^2
  const auto effective = [&](const Vector& f) {
    const auto [mean, sd] = weighted_moments(f, weights);
    return sd * sd / weights.cwiseProduct((f.array() - mean).matrix()).squaredNorm();
  };
  std::vector<Index> ascending(static_cast<std::size_t>(values.size()));
  std::iota(ascending.begin(), ascending.end(), Index{0});
  std::ranges::sort(ascending, {}, [&](Index s) { return values[s]; });
  double fewest = effective(values);
  for (const double level : {0.05, 0.95}) {
    double below = 0;
    Vector is_below = Vector::Zero(values.size());
    for (std::size_t k = 0; k < ascending.size() && below < level; ++k) {
      below += weights[ascending[k]];
      is_below[ascending[k]] = 1;
    }
    fewest = std::min(fewest, effective(is_below));
  }
  return fewest;
}

bool can_be_reweighted(const result::MethodRecord& fit) {
  return fit.num_draws() > 0 && fit.log_weights.size() == fit.num_draws() &&
         fit.quantity_draws.cols() == fit.num_draws() && fit.quantity_draws.allFinite();
}

FieldChange field_change_by_weights(const result::MethodRecord& fit) {
  const Vector weights = weights_of(fit.log_weights);
  const Vector equal = Vector::Constant(weights.size(), 1.0 / static_cast<double>(weights.size()));
  const auto draws = fit.draws.chain(0);
  FieldChange change;
  double squares = 0, ratios = 0;
  for (Eigen::Index i = 0; i < draws.rows(); ++i) {
    const Vector values = draws.row(i);
    const auto [mean, sd] = weighted_moments(values, equal);
    const auto [weighted_mean, weighted_sd] = weighted_moments(values, weights);
    const double shift = (weighted_mean - mean) / fit.kappa.sd[i];
    squares += shift * shift;
    change.largest_shift = std::max(change.largest_shift, std::abs(shift));
    ratios += std::log(weighted_sd / sd);
  }
  const auto unknowns = static_cast<double>(draws.rows());
  change.shift = std::sqrt(squares / unknowns);
  change.log_ratio = ratios / unknowns;
  return change;
}

bool is_noticeable(const FieldChange& change) {
  constexpr double shift = 0.1, largest_shift = 0.3, ratio = 1.1;
  return !(change.shift <= shift && change.largest_shift <= largest_shift &&
           std::abs(change.log_ratio) <= std::log(ratio));
}

Change change_by_weights(const result::MethodRecord& fit) {
  Change change;
  const auto take = [&](double shift, double log_ratio) {
    change.shift = std::max(change.shift, std::abs(shift));
    change.log_ratio = std::max(change.log_ratio, std::abs(log_ratio));
  };
  for (Eigen::Index q = 0; q < fit.quantity_draws.rows(); ++q) {
    const result::QuantitySummary& quantity = fit.quantities[static_cast<std::size_t>(q)];
    if (quantity.density.size() == 0) continue;
    const Reweighted found = reweight(fit.quantity_draws.row(q), fit.log_weights);
    take((found.mean - quantity.mean) / quantity.sd, std::log(found.sd / quantity.sd));
    change.khat = std::max(change.khat, found.khat);
  }
  const FieldChange field = field_change_by_weights(fit);
  take(field.shift, field.log_ratio);
  return change;
}

void resample(result::MethodRecord& fit) {
  const Vector weights = weights_of(fit.log_weights);
  const auto draws = fit.draws.chain(0);
  for (Eigen::Index i = 0; i < draws.rows(); ++i)
    std::tie(fit.kappa.mean[i], fit.kappa.sd[i]) = weighted_moments(draws.row(i), weights);
  // Records hold a draw and its statistics.
  const auto length = static_cast<std::size_t>(result::record_length(fit.draws.size()));
  const auto records = fit.draws.records(0);
  std::vector<double> taken;
  taken.reserve(records.size());
  for (const Index draw : systematic_choice(weights)) {
    const auto record = records.subspan(static_cast<std::size_t>(draw) * length, length);
    taken.insert(taken.end(), record.begin(), record.end());
  }
  fit.draws = {fit.draws.size(), {std::make_shared<result::MemoryDraws>(std::move(taken))}};
  for (Eigen::Index i = 0; i < fit.draws.size(); ++i) {
    const Vector q = diagnostics::quantiles(fit.draws.chain(0).row(i), Eigen::Vector3d(0.05, 0.5, 0.95));
    fit.kappa.q05[i] = q[0];
    fit.kappa.q50[i] = q[1];
    fit.kappa.q95[i] = q[2];
  }
  fit.components.clear();
  fit.log_weights = Vector(0);
  // What was found of the distribution is not true of these draws.
  std::erase_if(fit.trust, [](const auto& item) { return item.kind == result::TrustItem::Kind::approximation; });
}

}  // namespace varimesh::run
