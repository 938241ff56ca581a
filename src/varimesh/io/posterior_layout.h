#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "varimesh/checksum.h"
#include "varimesh/result/draws.h"
#include "varimesh/result/fit_record.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/types.h"

// Names in posterior.nc that its writer and its reader must agree on.
namespace varimesh::io {

constexpr int posterior_schema = 1;

/// The attribute `run`: a checksum of the method with its settings, seed, version and work. A summary.json of another
/// run has another one.
inline std::string run_of(const result::MethodRecord& method) {
  std::string text = fmt::format("{} {} {}", method.method, method.version, method.seed);
  for (const auto& [key, setting] : method.settings)
    std::visit([&, &name = key](const auto& value) { text += fmt::format("\n{} {}", name, value); }, setting);
  const result::Counts& c = method.counts;
  text += fmt::format("\n{} {} {} {} {} {}", c.values, c.gradients, c.jacobians, c.forward_solves, c.adjoint_solves,
                      c.factorizations);
  return fmt::format("{:016x}", checksum(std::as_bytes(std::span(text))));
}

/// The group sample_stats' variables in the order of result::Statistic. Those that ArviZ knows have its names;
/// `log_likelihood` is not among them, because that is the group of the pointwise one.
constexpr std::string_view statistic_variables[result::num_statistics] = {
    "lp", "total_log_likelihood", "acceptance_rate", "energy", "n_steps", "tree_depth", "diverging"};

/// The dimension of unknowns.
inline const char* unknown_dimension(const result::ProblemRecord& problem) {
  return problem.on_nodes() ? "node" : "cell";
}
/// The attribute `unknowns` of the group constant_data, in the order of result::Support; cells in files without it.
constexpr std::string_view support_names[] = {"cells", "nodes"};

constexpr std::string_view axes[] = {"x", "y", "z"};
/// The variable of one coordinate of all points of a dimension: "cell_x".
inline std::string axis_of(std::string_view dimension, int axis) {
  return std::string(dimension) + "_" + std::string(axes[axis]);
}

constexpr std::pair<std::string_view, Index result::TracePoint::*> trace_counts[] = {
    {"trace_iteration", &result::TracePoint::iteration}, {"trace_samples", &result::TracePoint::samples}};
constexpr std::pair<std::string_view, double result::TracePoint::*> trace_numbers[] = {
    {"trace_elbo", &result::TracePoint::elbo},
    {"trace_elbo_standard_error", &result::TracePoint::elbo_standard_error},
    {"trace_step", &result::TracePoint::step},
    {"trace_promise", &result::TracePoint::promise},
    {"trace_seconds", &result::TracePoint::seconds}};

/// The groups with the variables of unknown scalars, before their transforms, as draws and prior draws.
constexpr const char* unconstrained_groups[] = {"unconstrained_posterior", "unconstrained_prior"};
/// The attributes of each scalar's group in constant_data/scalars.
constexpr std::string_view transform_names[] = {"identity", "exp", "bounded"};

/// Whether a vector has an entry for each unknown: those of the field under its own name, those of scalars, if there
/// are any, under another one.
inline bool is_of_unknowns(std::string_view name) {
  return name.starts_with("kappa_") || name == "prior_shift" || name == "true_kappa";
}
inline std::string scalar_variable(std::string_view name) { return "scalar_" + std::string(name); }
/// "heat_mean" for "kappa_mean", "prior_shift_heat" for "prior_shift".
inline std::string field_variable(const result::FieldRecord& field, std::string name) {
  const std::size_t place = name.find("kappa");
  return place == std::string::npos ? name + "_" + field.name : name.replace(place, 5, field.name);
}
/// The dimension of a further field's unknowns.
inline std::string field_dimension(const result::FieldRecord& field) {
  return field.support == result::Support::nodes ? "node" : field.name + "_cell";
}

/// Calls visit(name, dimension, values) for the vectors of the group summary.
template <class Method, class Visit>
void for_each_summary(const result::ProblemRecord& problem, Method& method, const Visit& visit) {
  const char* unknown = unknown_dimension(problem);
  visit("kappa_mean", unknown, method.kappa.mean);
  visit("kappa_sd", unknown, method.kappa.sd);
  visit("kappa_q05", unknown, method.kappa.q05);
  visit("kappa_q50", unknown, method.kappa.q50);
  visit("kappa_q95", unknown, method.kappa.q95);
  visit("prior_shift", unknown, method.prior_sensitivity.shift);
  visit("u_mean", "node", method.u.mean);
  visit("u_sd", "node", method.u.sd);
  visit("u_at_mean", "node", method.u_at_mean);
  visit("prediction_mean", "sensor", method.predicted.mean);
  visit("prediction_sd", "sensor", method.predicted.sd);
  visit("loo_mean", "sensor", method.leave_one_out.mean);
  visit("loo_sd", "sensor", method.leave_one_out.sd);
  visit("loo_residual", "sensor", method.leave_one_out.residual);
  visit("loo_khat", "sensor", method.leave_one_out.khat);
  visit("loo_elpd", "sensor", method.leave_one_out.elpd);
  visit("mesh_change", "sensor", method.mesh_check.sensors);
}

/// Calls visit(name, number) for the scalars of a group of summary/quantities.
template <class Summary, class Visit>
void for_each_scalar(Summary& summary, const Visit& visit) {
  visit("mean", summary.mean);
  visit("sd", summary.sd);
  visit("q05", summary.q05);
  visit("q50", summary.q50);
  visit("q95", summary.q95);
}

/// Calls visit(name, dimension, values) for the vectors of the truth in the group constant_data.
template <class Truth, class Visit>
void for_each_truth(const result::ProblemRecord& problem, Truth& truth, const Visit& visit) {
  visit("true_kappa", unknown_dimension(problem), truth.kappa);
  visit("true_u", "node", truth.u);
  visit("true_quantities", "quantity", truth.quantities);
}

}  // namespace varimesh::io
