#include "varimesh/mcmc/state_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/mcmc/json_fields.h"

namespace varimesh::mcmc {
namespace {

using nlohmann::json;

/// The lower triangle, column after column.
Vector pack_lower(const Matrix& factor) {
  const Eigen::Index n = factor.rows();
  Vector packed(n * (n + 1) / 2);
  Eigen::Index begin = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    packed.segment(begin, n - j) = factor.col(j).tail(n - j);
    begin += n - j;
  }
  return packed;
}

Matrix unpack_lower(const Vector& packed, Eigen::Index n) {
  Matrix factor = Matrix::Zero(n, n);
  Eigen::Index begin = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    factor.col(j).tail(n - j) = packed.segment(begin, n - j);
    begin += n - j;
  }
  return factor;
}

json encode_scale(const result::ScaleUpdate& update) {
  json value = {
      {"iteration", update.iteration}, {"draws", update.draws}, {"mean", encode_vector(update.scale->mean())}};
  if (const auto* diagonal = dynamic_cast<const gaussian::DiagonalGaussian*>(update.scale.get()))
    value["sigma"] = encode_vector(diagonal->sigma());
  else if (const auto* dense = dynamic_cast<const gaussian::DenseGaussian*>(update.scale.get()))
    value["dense_factor"] = encode_vector(pack_lower(dense->factor()));
  else if (const auto* sparse = dynamic_cast<const gaussian::SparseGaussian*>(update.scale.get()))
    value["sparse_factor"] = encode_vector(sparse->factor());
  else
    throw InputError("checkpoints cannot hold a scale of this kind");
  return value;
}

result::ScaleUpdate decode_scale(const json& value, const SamplerOptions& options, Index n, Index most_iterations) {
  const Index iteration = decode_index(value, "iteration", most_iterations);
  const Index draws = decode_index(value, "draws", iteration);
  Vector mean = decode_vector(value, "mean", n);
  const auto scale = [&]() -> std::shared_ptr<const gaussian::Gaussian> {
    if (value.contains("sigma"))
      return std::make_shared<gaussian::DiagonalGaussian>(std::move(mean), decode_vector(value, "sigma", n));
    const Eigen::Index rows = n;
    if (options.scale == ScaleKind::dense)
      return std::make_shared<gaussian::DenseGaussian>(
          std::move(mean), unpack_lower(decode_vector(value, "dense_factor", rows * (rows + 1) / 2), n));
    if (options.scale == ScaleKind::sparse)
      return std::make_shared<gaussian::SparseGaussian>(
          std::move(mean), options.pattern,
          decode_vector(value, "sparse_factor", static_cast<Eigen::Index>(options.pattern->num_entries())));
    throw InputError("expected a scale with 'sigma'");
  };
  return {.iteration = iteration, .draws = draws, .scale = scale()};
}

json encode_warmup(const std::vector<result::WarmupPoint>& warmup) {
  Vector flat(2 * static_cast<Eigen::Index>(warmup.size()));
  Eigen::Index i = 0;
  for (const auto& point : warmup) {
    flat[i++] = point.step;
    flat[i++] = point.acceptance;
  }
  return encode_vector(flat);
}

std::vector<result::WarmupPoint> decode_warmup(const json& value, Index expected) {
  const Vector flat = decode_vector(value, "warmup", 2 * Eigen::Index{expected});
  std::vector<result::WarmupPoint> warmup(expected);
  for (Eigen::Index i = 0; i < expected; ++i) warmup[i] = {.step = flat[2 * i], .acceptance = flat[2 * i + 1]};
  return warmup;
}

/// Without draws it is all zeros.
json encode_covariance(const RunningCovariance& covariance) {
  if (covariance.count == 0) return {{"count", 0}};
  return {{"count", covariance.count},
          {"mean", encode_vector(covariance.mean)},
          {"moments", encode_vector(covariance.moments)}};
}

json encode_counts(const result::Counts& counts) {
  return {{"values", counts.values},
          {"gradients", counts.gradients},
          {"jacobians", counts.jacobians},
          {"forward_solves", counts.forward_solves},
          {"adjoint_solves", counts.adjoint_solves},
          {"factorizations", counts.factorizations}};
}

result::Counts decode_counts(const json& value) {
  return {.values = decode_count(value, "values"),
          .gradients = decode_count(value, "gradients"),
          .jacobians = decode_count(value, "jacobians"),
          .forward_solves = decode_count(value, "forward_solves"),
          .adjoint_solves = decode_count(value, "adjoint_solves"),
          .factorizations = decode_count(value, "factorizations")};
}

/// Only kappa and what it is checked by: the rest follows from it.
Position decode_position(const json& value, Index n) {
  Position position{.kappa = decode_vector(value, "kappa", n), .log_posterior = decode_number(value, "log_posterior")};
  if (!position.kappa.allFinite() || !std::isfinite(position.log_posterior))
    throw InputError("expected a finite position");
  return position;
}

RunningCovariance decode_covariance(const json& value, Index n, const SamplerOptions& options, Index most_draws) {
  if (!options.learns_scale()) return {};
  RunningCovariance covariance = RunningCovariance::of(n, options.scale, options.pattern);
  covariance.count = decode_index(value, "count", most_draws);
  if (covariance.count == 0) return covariance;
  covariance.mean = decode_vector(value, "mean", n);
  covariance.moments = decode_vector(value, "moments", covariance.moments.size());
  return covariance;
}

}  // namespace

json encode_state(const ChainState& state) {
  json scales = json::array();
  for (std::size_t i = 1; i < state.scales.size(); ++i) scales.push_back(encode_scale(state.scales[i]));
  return {
      {"iteration", state.iteration},
      {"position", {{"kappa", encode_vector(state.position.kappa)}, {"log_posterior", state.position.log_posterior}}},
      {"step", state.step},
      {"averaging",
       {{"centre", state.averaging.centre},
        {"error", state.averaging.error},
        {"log_step", state.averaging.log_step},
        {"count", state.averaging.count}}},
      {"covariance", encode_covariance(state.covariance)},
      {"warmup", encode_warmup(state.warmup)},
      {"scales", std::move(scales)},
      {"acceptance_sum", state.acceptance_sum},
      {"divergences", state.divergences},
      {"energy",
       {{"count", state.energy.count},
        {"mean", state.energy.mean},
        {"squares", state.energy.squares},
        {"last", state.energy.last},
        {"changes", state.energy.changes}}},
      {"counts", encode_counts(state.counts)},
      {"warmup_seconds", state.warmup_seconds},
      {"draw_seconds", state.draw_seconds}};
}

ChainState decode_state(const json& value, const inverse::Posterior& posterior, const SamplerOptions& options) {
  const Index n = posterior.size();
  ChainState state;
  state.iteration = decode_index(value, "iteration", std::numeric_limits<Index>::max());
  state.position = decode_position(field(value, "position"), n);
  state.step = decode_number(value, "step");
  if (!(state.step > 0) || !std::isfinite(state.step))
    throw InputError(fmt::format("expected a positive step, found {}", state.step));
  const json& averaging = field(value, "averaging");
  state.averaging = {.centre = decode_number(averaging, "centre"),
                     .error = decode_number(averaging, "error"),
                     .log_step = decode_number(averaging, "log_step"),
                     .count = decode_index(averaging, "count", state.iteration)};
  state.covariance = decode_covariance(field(value, "covariance"), n, options, state.iteration);
  state.warmup = decode_warmup(value, std::min(state.iteration, options.num_warmup()));
  state.scales = {{.iteration = 0, .draws = 0, .scale = initial_scale(options, posterior)}};
  const json& scales = field(value, "scales");
  if (!scales.is_array() || (!scales.empty() && !options.learns_scale()))
    throw InputError("expected no scales that were learnt");
  for (const json& scale : scales) state.scales.push_back(decode_scale(scale, options, n, state.iteration));
  state.acceptance_sum = decode_number(value, "acceptance_sum");
  state.divergences = decode_index(value, "divergences", state.iteration);
  const json& energy = field(value, "energy");
  state.energy = {.count = decode_index(energy, "count", state.iteration),
                  .mean = decode_number(energy, "mean"),
                  .squares = decode_number(energy, "squares"),
                  .last = decode_number(energy, "last"),
                  .changes = decode_number(energy, "changes")};
  state.counts = decode_counts(field(value, "counts"));
  state.warmup_seconds = decode_number(value, "warmup_seconds");
  state.draw_seconds = decode_number(value, "draw_seconds");
  return state;
}

}  // namespace varimesh::mcmc
