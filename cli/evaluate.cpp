#include "varimesh/run/evaluate.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "results.h"
#include "status_line.h"
#include "varimesh/file.h"
#include "varimesh/io/csv.h"
#include "varimesh/io/field_picture.h"

namespace varimesh::cli {
namespace {

std::vector<double> to_vector(const Vector& v) { return {v.begin(), v.end()}; }

/// sensor positions and predictions; with measurements also their mean, its standard error, and the difference in
/// standard errors
std::string predictions_csv(const run::Problem& problem, const run::Evaluation& evaluation) {
  auto [names, values] =
      run::position_columns(*problem.sensors, problem.sensors->size(), problem.equation.mesh.dimension());
  names.emplace_back("predicted");
  values.push_back(to_vector(evaluation.prediction));
  if (problem.observations) {
    const inverse::Observations& data = *problem.observations;
    const Vector standard_error = data.weight.array().rsqrt();
    const Vector residual = (data.mean - evaluation.prediction).cwiseQuotient(standard_error);
    names.insert(names.end(), {"measured", "standard_error", "standardised_residual"});
    for (const Vector* column : {&data.mean, &standard_error, &residual}) values.push_back(to_vector(*column));
  }
  const std::vector<std::string>& labels = problem.sensors->labels;
  return io::format_csv(labels.empty() ? "" : "label", labels, names, values);
}

std::string solution_csv(const run::Problem& problem, const run::Evaluation& evaluation) {
  const run::Sensors nodes{problem.equation.mesh.nodes, {}, {}, {}};
  auto [names, values] = run::position_columns(nodes, nodes.size(), problem.equation.mesh.dimension());
  names.emplace_back("u");
  values.push_back(to_vector(evaluation.u));
  return io::format_csv(names, values);
}

std::optional<std::string> draw_picture(const run::Problem& problem, const Vector& kappa,
                                        const run::Evaluation& evaluation) {
  const fem::CoefficientMap& map = problem.equation.coefficients;
  io::FieldPicture picture{problem.equation.mesh, kappa, evaluation.u, {}, {}, {}, map.on_nodes()};
  if (!map.on_nodes()) {
    Vector values(kappa.size() + map.known.size());
    values << kappa, map.known;
    picture.kappa = values(map.of_cell);
  }
  if (!problem.sensors) return io::draw(picture);
  // A picture of u has what was measured of it.
  const Index at_points = problem.sensors->num_at_points();
  picture.sensors.assign(problem.sensors->points.begin(), problem.sensors->points.begin() + at_points);
  if (problem.observations) {
    picture.measured = problem.observations->mean.head(at_points);
    picture.standard_error = problem.observations->weight.head(at_points).array().rsqrt();
  }
  return io::draw(picture);
}

void print_json(const run::Problem& problem, const run::Evaluation& evaluation, const std::vector<std::string>& files) {
  nlohmann::ordered_json json;
  const auto number = [](std::optional<double> value) {
    return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nullptr;
  };
  json["log_likelihood"] = number(evaluation.log_likelihood);
  json["log_likelihood_without_constant"] = number(evaluation.without_constant);
  for (std::size_t q = 0; q < problem.quantities.size(); ++q)
    json["quantities"][problem.quantities[q].name] = number(evaluation.quantities[q]);
  json["predictions"] = to_vector(evaluation.prediction);
  json["files"] = files;
  print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_table(const run::Problem& problem, const run::Evaluation& evaluation,
                 const std::vector<std::string>& files) {
  if (evaluation.log_likelihood) {
    print("log-likelihood                   {:.10g}\n", *evaluation.log_likelihood);
    print("log-likelihood without constant  {:.10g}\n", *evaluation.without_constant);
  } else {
    print("log-likelihood                   none: there are no measurements\n");
  }
  for (std::size_t q = 0; q < problem.quantities.size(); ++q) {
    const double value = evaluation.quantities[q];
    print("{:<32} {}\n", problem.quantities[q].name,
          std::isfinite(value) ? fmt::format("{:.10g}", value) : "undefined: the flux is not positive");
  }
  for (std::size_t k = 0; k < files.size(); ++k) print("{:<32} {}\n", k == 0 ? "written" : "", files[k]);
}

}  // namespace

ExitCode run_evaluate(EvaluateOptions options) {
  const run::Config config = run::read_config(options.problem, parse_overrides(options.set));
  if (options.out.empty()) options.out = beside(config.file, "-evaluation");
  std::optional<StatusLine> status("evaluating");
  const run::Problem problem = run::build_problem(config, run::Data::if_present);
  const Vector kappa = run::read_kappa(options.kappa, problem.num_field_unknowns());
  const run::Evaluation evaluation = run::evaluate(problem, run::complete(config, problem, kappa));
  protect_results();
  ensure_directory(options.out);
  std::vector<std::string> files;
  const auto write = [&](const char* name, std::string_view bytes) {
    write_file(options.out / name, bytes);
    files.push_back((options.out / name).string());
  };
  if (problem.sensors) write("predictions.csv", predictions_csv(problem, evaluation));
  write("u.csv", solution_csv(problem, evaluation));
  if (const auto picture = draw_picture(problem, kappa, evaluation)) write("picture.svg", *picture);
  status.reset();
  print_notes(problem);
  options.json ? print_json(problem, evaluation, files) : print_table(problem, evaluation, files);
  return success;
}

}  // namespace varimesh::cli
