#include "varimesh/run/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "commands.h"
#include "duration.h"
#include "output.h"
#include "results.h"
#include "status_line.h"
#include "varimesh/mesh/conformity.h"
#include "varimesh/mesh/measure.h"
#include "varimesh/number_words.h"
#include "varimesh/run/memory.h"
#include "varimesh/run/mesh_check.h"
#include "varimesh/run/record_problem.h"
#include "varimesh/run/size_checks.h"
#include "varimesh/run/trust.h"

namespace varimesh::cli {
namespace {

template <class... Arguments>
void row(std::string_view label, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print("{:<14}{}\n", label, fmt::format(format, std::forward<Arguments>(arguments)...));
}

std::string bytes(double count) {
  if (count < 1e6) return fmt::format("{:.0f} kB", std::max(1.0, count / 1e3));
  return count < 1e9 ? fmt::format("{:.1f} MB", count / 1e6) : fmt::format("{:.1f} GB", count / 1e9);
}

std::string verdict(double error, double tolerance) {
  return fmt::format("{:.1e} relative error ({} {:.0e})", error, error <= tolerance ? "ok, below" : "FAILED, above",
                     tolerance);
}

/// "0 to 60, 0 to 40": what shows that a mesh is in other units than its sensors.
std::string extent(const std::vector<Point>& points, int dimension) {
  Point lower = points.front(), upper = lower;
  for (const Point& x : points) {
    lower = lower.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
  std::vector<std::string> axes;
  for (int d = 0; d < dimension; ++d) axes.push_back(fmt::format("{:.4g} to {:.4g}", lower[d], upper[d]));
  return fmt::format("{}", fmt::join(axes, ", "));
}

/// Sizes of regions, which a total rate is divided by: those of the mesh, not of what it stands for.
void print_regions(const mesh::Mesh& mesh) {
  const std::string_view what = mesh::measure_name(mesh.dimension());
  row(what, "{:.6g}", mesh::measure(mesh));
  constexpr std::size_t most = 50;
  for (std::size_t r = 0; r < std::min(mesh.regions.size(), most); ++r) {
    const mesh::Region& region = mesh.regions[r];
    row(r == 0 ? "regions" : "", "{}: {} of {:.6g} in {}", region.name, what, mesh::measure(mesh, region.cells),
        counted(std::ssize(region.cells), "cell"));
  }
  if (mesh.regions.size() > most) row("", "and {} more", mesh.regions.size() - most);
}

/// "'heat', 'q'": the unknowns besides the coefficient.
std::string further_unknowns(const run::Config& config) {
  std::vector<std::string> names;
  for (const run::SourceFieldConfig& field : config.source_fields) names.push_back(fmt::format("'{}'", field.name));
  for (const run::UnknownConfig& scalar : config.unknowns) names.push_back(fmt::format("'{}'", scalar.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

void print_sources(const run::Config& config, const mesh::Mesh& mesh) {
  for (std::size_t s = 0; s < config.source_terms.size(); ++s) {
    if (run::has_unknowns(config.source_terms[s])) {
      row(s == 0 ? "sources" : "", "{}: unknown", config.source_terms[s].name);
      continue;
    }
    const run::NamedSource source = run::build_source_term(config.source_terms[s], mesh);
    row(s == 0 ? "sources" : "", "{}: {:.6g} in all", source.name, source.total);
  }
}

/// What is measured but u at points, one a line.
void print_measurements(const run::Config& config, const run::Problem& problem) {
  constexpr std::size_t most = 50;
  const std::vector<run::QuantityConfig>& further = problem.sensors->further;
  for (std::size_t k = 0; k < std::min(further.size(), most); ++k) {
    const auto s = problem.sensors->num_at_points() + static_cast<Index>(k);
    const std::string value = problem.observations ? with_error(problem.observations->mean[s],
                                                                1 / std::sqrt(problem.observations->weight[s]), 2)
                                                   : "not measured yet";
    row(k == 0 ? "measurements" : "", "'{}', {}: {}", further[k].name, describe_quantity(further[k], config.labels),
        value);
  }
  if (further.size() > most) row("", "and {} more", further.size() - most);
}

void print_problem(const run::Config& config, const run::Problem& problem) {
  const run::Equation& equation = problem.equation;
  const fem::EllipticProblem& fem = *equation.problem;
  const auto names = [](const auto& parts) {
    std::vector<std::string> list;
    for (const auto& part : parts) list.push_back(part.name);
    return list.empty() ? std::string("none") : fmt::format("{}", fmt::join(list, ", "));
  };
  row("problem", "{}", config.file.string());
  const mesh::CellTopology& cells = topology(equation.mesh.cell_type);
  row("mesh", "{}, {} nodes, {}D", counted(equation.mesh.num_cells(), cells.name, cells.plural),
      equation.mesh.num_nodes(), equation.mesh.dimension());
  row("extent", "{}", extent(equation.mesh.nodes, equation.mesh.dimension()));
  row("boundaries", "{}", names(equation.mesh.boundaries));
  if (std::holds_alternative<run::GmshMesh>(config.mesh.shape) && equation.mesh.boundaries.empty() &&
      equation.mesh.regions.empty())
    row("note", "the mesh file has no physical groups, so that its boundaries and regions have no names");
  print_regions(equation.mesh);
  print_sources(config, equation.mesh);
  Index known = 0;
  for (Index c = 0; c < equation.mesh.num_cells(); ++c) known += equation.coefficients.is_known(c) ? 1 : 0;
  row("unknowns", "{} of kappa{}", counted(problem.num_field_unknowns(), "value"),
      known == 0 ? "" : fmt::format("; known in {}", counted(known, "cell")));
  if (const Index further = problem.num_unknowns() - problem.num_field_unknowns(); further > 0)
    row("", "and {} of {}", counted(further, "value"), further_unknowns(config));
  row("equations", "{}", counted(fem.num_free(), "free node"));
  if (problem.observations) {
    row("sensors", "{}, {}", problem.sensors->size(),
        counted(std::llround(problem.observations->count.sum()), "measurement"));
  } else {
    row("sensors", "{}", problem.sensors ? fmt::format("{}, no measurements yet", problem.sensors->size()) : "none");
  }
  if (problem.sensors && problem.sensors->size() > 0)
    row("", "at {}", extent(problem.sensors->points, equation.mesh.dimension()));
  const Index at_points = problem.sensors ? problem.sensors->num_at_points() : 0;
  if (problem.observations && at_points > 0) {
    const auto readings = problem.observations->mean.head(at_points);
    row("readings", "{:.4g} to {:.4g}", readings.minCoeff(), readings.maxCoeff());
  }
  if (problem.noise)
    row("noise", "{}",
        run::describe_noise(config.noise(), problem.observations ? problem.observations->sigma : problem.noise->sigma));
  if (problem.sensors) print_measurements(config, problem);
  if (problem.sensors) {
    for (const std::string& note : problem.sensors->notes) row("note", "{}", note);
  }
  row("prior", "{}", config.prior ? run::describe_prior(config) : "none, which 'varimesh run' needs");
  const auto matrix_entries = static_cast<double>(fem.network().pattern().row.size());
  row("Cholesky", "{}, {:.0f} entries, {:.1f} times the matrix", name(fem.cholesky().kernel()),
      fem.cholesky().factor_entries(), fem.cholesky().factor_entries() / matrix_entries);
  row("memory", "{} for the problem, {} for each thread", bytes(fem.bytes()), bytes(fem.workspace_bytes()));
}

void print_report(const run::CheckReport& report, bool mesh_is_sound) {
  constexpr double tolerance = run::CheckReport::tolerance;
  if (!report.solvable) {
    row("solve", "FAILED: the matrix is not positive definite at the kappa tried");
    return;
  }
  row("flux balance", "{}", verdict(report.flux_balance_error, run::CheckReport::balance_tolerance));
  if (report.likelihood) {
    row("value", "{}", verdict(report.likelihood->value_error, tolerance));
    row("gradient", "{}", verdict(report.likelihood->gradient_error, tolerance));
  }
  if (report.model) {
    row("prediction", "{}", verdict(report.model->prediction_error, tolerance));
    row("Jacobian", "{}", verdict(report.model->derivative_error, tolerance));
    row("adjoint", "{}", verdict(report.model->transposition_error, tolerance));
  }
  if (report.likelihood) {
    const bool same = report.likelihood->same_on_threads && (!report.model || report.model->same_on_threads);
    row("threads", "{}",
        !same                ? "FAILED: results differ"
        : report.threads > 1 ? "same results (ok)"
                             : "repeatable (ok); several not tried, to save memory");
    row("time", "{} for value and gradient", duration(report.seconds));
  }
  row("result", "{}", report.passed() && mesh_is_sound ? "all checks passed" : "FAILED");
}

/// By how much predictions change on a finer mesh: worth knowing, but no failure.
void print_mesh_check(const run::Config& config, const run::Problem& problem, const result::MeshCheck& check) {
  if (!check.is_known()) {
    row("finer mesh", "not tried: {}", check.skipped);
    return;
  }
  if (problem.observations) {
    const run::MeshShares shares = run::mesh_shares(check, problem.observations->weight.cwiseSqrt().cwiseInverse());
    constexpr const char* verdicts[] = {"ok", "noticeable beside the noise", "TOO COARSE for this noise"};
    row("finer mesh", "predictions change by {}: {}",
        run::describe_mesh_change(run::record_sensors(config, problem), problem.equation.mesh.dimension(), shares),
        verdicts[static_cast<std::size_t>(run::mesh_level(shares.largest))]);
  } else if (check.sensors.size() > 0) {
    row("finer mesh", "predictions change by up to {:.2g}", check.sensors.lpNorm<Eigen::Infinity>());
  }
  for (std::size_t q = 0; q < problem.quantities.size(); ++q) {
    const auto i = static_cast<Eigen::Index>(q);
    row(q == 0 && check.sensors.size() == 0 ? "finer mesh" : "", "'{}', {:.4g} at first, changes by {:.2g}",
        problem.quantities[q].name, check.quantities_before[i], check.quantities[i]);
  }
}

}  // namespace

ExitCode run_check(const CheckOptions& options) {
  const run::Config config = run::read_config(options.problem, parse_overrides(options.set));
  const run::Problem problem = [&] {
    const StatusLine status("setting up the problem");
    run::require_prior_size(config);
    return run::build_problem(config, run::Data::if_present);
  }();
  print_problem(config, problem);
  std::fflush(stdout);
  const std::vector<std::string> faults = [&] {
    const StatusLine status("looking for cells that overlap");
    return mesh::find_faults(problem.equation.mesh);
  }();
  for (const std::string& fault : faults) row("mesh", "FAILED: {}", fault);
  std::fflush(stdout);
  const auto prior = run::build_prior(config, problem);
  const run::CheckReport report = [&] {
    const StatusLine status("comparing gradients with differences");
    return run::check(problem, prior.get(), options.seed);
  }();
  if (report.solvable) {
    const result::MeshCheck mesh = [&] {
      const StatusLine status("comparing with a finer mesh");
      return run::check_mesh(config, problem, run::fields_to_try(problem, prior.get(), options.seed),
                             available_bytes());
    }();
    print_mesh_check(config, problem, mesh);
  }
  print_report(report, faults.empty());
  return report.passed() && faults.empty() ? success : failed;
}

}  // namespace varimesh::cli
