#include "varimesh/calibration/calibrate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>

#include "commands.h"
#include "duration.h"
#include "interrupt.h"
#include "live_line.h"
#include "method_words.h"
#include "output.h"
#include "results.h"
#include "results_table.h"
#include "status_line.h"
#include "varimesh/calibration/page.h"
#include "varimesh/directory_lock.h"
#include "varimesh/file.h"
#include "varimesh/version.h"

namespace varimesh::cli {
namespace {

using calibration::Calibration;
using calibration::MethodCalibration;

std::string describe(const calibration::CalibrateProgress& progress, double seconds) {
  std::string line = fmt::format("calibrate  repeat {}/{}", progress.done, progress.total);
  if (std::isfinite(progress.seconds_left)) line += fmt::format(", {} left", duration(progress.seconds_left));
  return line + ", " + duration(seconds) + " so far";
}

/// "91 (84-96)": per cent, with the ends of its confidence interval.
std::string describe(const calibration::Coverage& coverage) {
  if (coverage.count == 0) return "-";
  return fmt::format("{:.0f} ({:.0f}-{:.0f})", 100 * coverage.share, 100 * coverage.interval.low,
                     100 * coverage.interval.high);
}

std::string describe(const result::Estimate& estimate, int digits, double factor = 1) {
  if (!std::isfinite(estimate.value)) return "-";
  if (!std::isfinite(estimate.error)) return fmt::format("{:.{}f}", factor * estimate.value, digits);
  return fmt::format("{0:.{2}f} +- {1:.{2}f}", factor * estimate.value, factor * estimate.error, digits);
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "-"; }

void print_calibration(const Calibration& calibration) {
  std::vector<std::vector<std::string>> rows = {
      {"method", "of", "in 50 %", "in 90 %", "in 95 %", "z mean", "z rms", "contraction", "p", "time"}};
  for (const MethodCalibration& method : calibration.methods) {
    std::vector<std::string> field = {method.name, "field"};
    for (const result::Estimate& coverage : method.field.coverage) field.push_back(describe(coverage, 1, 100));
    field.insert(field.end(),
                 {"", describe(method.field.z_rms, 2), number(method.field.contraction.value),
                  number(method.field.p_value), method.answers > 0 ? duration(method.seconds_median) : "-"});
    rows.push_back(field);
    for (std::size_t q = 0; q < calibration.quantities.size(); ++q) {
      const calibration::QuantityCalibration& quantity = method.quantities[q];
      std::vector<std::string> row = {"", calibration.quantities[q].name};
      for (const calibration::Coverage& coverage : quantity.coverage) row.push_back(describe(coverage));
      row.insert(row.end(), {describe(quantity.z, 2), number(quantity.z_rms), number(quantity.contraction),
                             number(quantity.p_value) + (quantity.count > 0 && !quantity.inside_band ? " !" : ""), ""});
      rows.push_back(row);
    }
  }
  print_table(rows);
  for (const MethodCalibration& method : calibration.methods) {
    const calibration::TrustCalibration& good = method.trust.front();
    if (good.repeats > 0)
      print("{}: of {} answers called good, {} have the truth within three sds in every quantity{}\n", method.name,
            good.repeats, good.all_near.inside,
            good.close.count > 0
                ? fmt::format("; {} of {} are as {}'s", good.close.inside, good.close.count, calibration.referee)
                : "");
  }
}

void write_results(const std::filesystem::path& directory, const Calibration& calibration,
                   const calibration::Experiment& experiment, const std::string& command) {
  const calibration::CalibrationOrigin origin = describe_origin(experiment);
  const std::string today = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  write_files(
      {{directory / "calibration.json", format_calibration(calibration, origin)},
       {directory / "calibration.html", format_page(calibration, origin, {std::string(version()), today, command})}});
}

}  // namespace

ExitCode run_calibrate(CalibrateOptions options) {
  tell_problem_from_methods("calibrate", options.problem, options.methods);
  run::Config config = run::read_config(options.problem, parse_overrides(options.set));
  take_methods(options.methods, config);
  const calibration::ExperimentOptions settings{options.seed.value_or(config.method.seed), options.refinements};
  if (options.out.empty()) options.out = beside(config.file, "-calibration");
  run::require_usable(options.out, options.resume || options.force);
  std::optional<StatusLine> status;
  if (!options.quiet) status.emplace("setting up the problem");
  const calibration::Experiment experiment(std::move(config), settings);
  status.reset();
  protect_results();
  const DirectoryLock lock(options.out);
  run::require_usable(options.out, options.resume || options.force);  // still: another run may have ended since

  std::vector<calibration::Repeat> repeats;
  {
    LiveLine line;
    const CancellationScope scope({&user()});
    repeats = calibrate(experiment, {options.repeats, choose_threads(options.threads), options.out, options.resume},
                        [&](const calibration::CalibrateProgress& progress) {
                          if (!options.quiet) line.show(describe(progress, line.seconds()));
                          return !interrupted();
                        });
  }
  const bool complete = std::ssize(repeats) == options.repeats;
  if (!repeats.empty()) {
    const Calibration result =
        summarize(experiment.quantities(), experiment.method_names(), experiment.num_unknowns(), repeats);
    write_results(options.out, result, experiment, options.command);
    const bool all = std::ranges::none_of(result.methods, [](const MethodCalibration& method) {
      return method.verdict == calibration::Verdict::miscalibrated || method.answers == 0;
    });
    if (!options.quiet) {
      print_calibration(result);
      print("report   {}\n{}\n", (options.out / "calibration.html").string(), conclude(result));
    } else if (!all) {
      print_error("{}\n", conclude(result));
    }
    if (complete) return all ? success : failed;
  }
  print_error("varimesh: interrupted; {} of {} repeats are in {}, and --resume goes on\n", repeats.size(),
              options.repeats, options.out.string());
  return interrupted_by_user;
}

}  // namespace varimesh::cli
