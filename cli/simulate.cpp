#include "varimesh/run/simulate.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "results.h"
#include "status_line.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/number_words.h"
#include "varimesh/run/size_checks.h"

namespace varimesh::cli {
ExitCode run_simulate(SimulateOptions options) {
  const run::Config config = run::read_config(options.problem, parse_overrides(options.set));
  if (!config.observations)
    throw InputError(options.problem + ": expected a table [observations], which says where to measure");
  if (!config.measurements.empty() && !config.observations->named)
    throw InputError(options.problem + ": expected the key observations.named, the file to write [measurements] to");
  const bool at_points = config.measurements.empty() || config.observations->data || config.observations->sensors;
  if (options.data.empty() && at_points) {
    if (!config.observations->data)
      throw InputError(options.problem +
                       ": expected the key observations.data or the option --data, the file to write");
    options.data = config.observations->data->path();
  }
  if (options.truth.empty()) {
    const auto* named = config.truth ? std::get_if<run::InputFile>(&config.truth->value) : nullptr;
    options.truth = named ? named->path()
                          : (at_points ? options.data : config.observations->named->path()).parent_path() / "truth.csv";
  }
  if (options.data.lexically_normal() == options.truth.lexically_normal())
    throw InputError(fmt::format("'{}' would hold both data and truth: expected two files", options.data.string()));
  std::vector<std::filesystem::path> files = {options.truth};
  if (at_points) files.insert(files.begin(), options.data);
  if (!config.measurements.empty()) files.push_back(config.observations->named->path());
  for (const auto& file : files) {
    if (!options.force && file_exists(file))
      throw InputError(fmt::format("'{}' exists: expected a new file, or the option --force", file.string()));
  }
  std::optional<StatusLine> status("simulating");
  if (options.kappa.empty()) run::require_prior_size(config);  // from which the truth is drawn
  const run::Problem problem = run::build_problem(config, run::Data::ignored);
  run::SimulateOptions settings{options.seed, std::nullopt, options.refinements};
  if (!options.kappa.empty())
    settings.truth = run::complete(config, problem, run::read_kappa(options.kappa, problem.num_field_unknowns()));
  const run::Simulation simulation = run::simulate(config, problem, settings);
  protect_results();
  std::vector<FileContent> written;
  if (at_points) written.push_back({options.data, run::format_data(problem, simulation)});
  written.push_back({options.truth, run::format_truth(problem, simulation.truth)});
  if (!config.measurements.empty())
    written.push_back({config.observations->named->path(), run::format_named(problem, simulation)});
  write_files(written);
  status.reset();
  print_notes(problem);
  print("measurements  {} at {}, readings of up to {:.4g}\n", simulation.measurements.size(),
        counted(simulation.measurements.cols(), "sensor"), simulation.noise_free.cwiseAbs().maxCoeff());
  const auto field = simulation.truth.head(problem.num_field_unknowns());
  print("truth         {} values of kappa from {:.4g} to {:.4g}\n", field.size(), field.minCoeff(), field.maxCoeff());
  for (std::size_t k = 0; k < config.unknowns.size(); ++k) {
    const double variable = simulation.truth[field.size() + static_cast<Eigen::Index>(k)];
    print("              {} = {:.10g}\n", config.unknowns[k].name, config.unknowns[k].prior.transform.value(variable));
  }
  for (const FileContent& file : written)
    print("{:<14}{}\n", &file == &written.front() ? "written" : "", file.file.string());
  return success;
}

}  // namespace varimesh::cli
