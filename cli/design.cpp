#include "varimesh/run/design.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "results.h"
#include "status_line.h"
#include "varimesh/file.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/sensor_columns.h"

namespace varimesh::cli {

ExitCode run_design(DesignCommand options) {
  const run::Config config = run::read_config(options.problem, parse_overrides(options.set));
  if (options.out.empty()) options.out = beside(config.file, "-design");
  std::optional<StatusLine> status("choosing sensors");
  const run::Problem problem = run::build_problem(config, run::Data::if_present);
  const int dimension = problem.equation.mesh.dimension();
  const io::CsvTable table = run::read_csv(run::InputFile(options.candidates), run::sensor_texts(dimension));
  const run::DesignOptions settings{options.choose, options.quantity, options.from_prior,
                                    choose_threads(options.threads)};
  const run::Design design = run::choose_sensors(config, problem, table, settings);
  protect_results();
  ensure_directory(options.out);
  write_file(options.out / "design.csv", run::format_design(design, dimension));
  write_file(options.out / "design.html", run::format_design_page(config, problem, design, settings));
  status.reset();
  print_notes(problem);
  for (const std::string& note : design.candidates.notes) print_error("note: {}\n", note);

  const auto& sensors = design.sensors;
  print("what is known: {}\n", design.basis);
  const bool of_quantity = sensors.variance.size() > 0;
  if (of_quantity)
    print("{}: {:.4g}, sd {:.3g} before\n", options.quantity, design.quantity_mean, std::sqrt(sensors.variance[0]));
  print("{:>4}  {:>9}  {}position\n", "rank", "gain/nats", of_quantity ? "sd then    " : "");
  for (std::size_t k = 0; k < sensors.chosen.size(); ++k) {
    const auto number = static_cast<Eigen::Index>(k);
    const auto c = static_cast<std::size_t>(sensors.chosen[k]);
    const Point& x = design.candidates.points[c];
    const std::string label = design.candidates.labels.empty() ? "" : "  " + design.candidates.labels[c];
    const std::string position = fmt::format("({:.6g})", fmt::join(x.data(), x.data() + dimension, ", "));
    print("{:>4}  {:>9.3g}  {}{}{}\n", k + 1, sensors.gains[number],
          of_quantity ? fmt::format("{:<9.3g}  ", std::sqrt(sensors.variance[number + 1])) : "", position, label);
  }
  print("written  {}, design.csv\n", (options.out / "design.html").string());
  return success;
}

}  // namespace varimesh::cli
