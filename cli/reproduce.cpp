#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "commands.h"
#include "duration.h"
#include "interrupt.h"
#include "live_line.h"
#include "output.h"
#include "results.h"
#include "varimesh/directory_lock.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/paper/document.h"
#include "varimesh/paper/experiments.h"
#include "varimesh/quote.h"
#include "varimesh/suggest.h"
#include "varimesh/version.h"

namespace varimesh::cli {
namespace {

struct Experiment {
  const char* name;
  paper::Chapter (*run)(const paper::StudyOptions&);
};
constexpr Experiment experiments[] = {{"poisson-1d", paper::poisson_1d},
                                      {"poisson-2d", paper::poisson_2d},
                                      {"benchmark", paper::benchmark},
                                      {"bimodal", paper::bimodal}};

std::vector<Experiment> choose_experiments(const std::string& word) {
  std::vector<Experiment> chosen;
  std::vector<std::string> names = {"all"};
  for (const Experiment& experiment : experiments) {
    names.emplace_back(experiment.name);
    if (word == "all" || word == experiment.name) chosen.push_back(experiment);
  }
  if (chosen.empty())
    throw InputError(fmt::format("reproduce: expected one of {}, found {}{}", quote_list(names), quote(word),
                                 suggestion(word, names)));
  return chosen;
}

/// How the document came about.
std::vector<std::string> summarize(const ReproduceOptions& options) {
  const bool all = options.experiment == "all";
  std::vector<std::string> words = {fmt::format(
      "{} of Povala, Kazlauskaite, Febrianto, Cirak and Girolami, Variational Bayesian Approximation of Inverse "
      "Problems using Sparse Precision Matrices, computed anew by varimesh. Beside each figure stands what the paper "
      "says of it, and what we find. Verdicts follow from the numbers by rules that docs/paper.md states.",
      all ? "Every experiment of section 4 and appendix A" : "One experiment")};
  if (all || options.experiment.starts_with("poisson"))
    words.push_back(fmt::format(
        "{} of truth and data where the paper has one, on {} threads. The paper's computations took some 2,500 CPU "
        "hours; ours are in the tables of times.",
        options.seeds == 1 ? "One draw" : fmt::format("{} draws", options.seeds), options.threads));
  words.emplace_back(
      "Each run is in a directory of its own, in the formats of 'varimesh run' (summary.json, kappa.csv, posterior.nc, "
      "fields.vtu), with the configuration that makes it.");
  return words;
}

}  // namespace

ExitCode run_reproduce(ReproduceOptions options) {
  const std::vector<Experiment> chosen = choose_experiments(options.experiment);
  options.threads = choose_threads(options.threads);
  if (options.out.empty()) throw InputError("reproduce: --out: expected a directory, found ''");
  protect_results();
  const CancellationScope scope({&user()});
  const DirectoryLock lock(options.out);
  std::vector<paper::Chapter> chapters;
  for (const Experiment& experiment : chosen) {
    LiveLine line;
    paper::StudyOptions study;
    study.directory = options.out;
    study.threads = options.threads;
    study.seeds = options.seeds;
    study.adam_steps = options.adam_steps;
    study.resume = !options.force;
    study.observer = [&](const paper::StudyProgress& progress) {
      if (options.verbosity != Verbosity::quiet)
        line.show(
            fmt::format("{:>3.0f} %  {}  ({} so far)", 100 * progress.done, progress.what, duration(line.seconds())));
      return !interrupted();
    };
    bool stopped = false;
    try {
      stopped = !completes([&] { chapters.push_back(experiment.run(study)); });
    } catch (const paper::StudyInterrupted&) {
      stopped = true;
    }
    if (stopped) {
      print_error("varimesh: interrupted; the same command goes on where it was\n");
      return interrupted_by_user;
    }
    if (options.verbosity != Verbosity::quiet)
      line.print(fmt::format("{:<12} {}", experiment.name, duration(line.seconds())));
  }
  const std::filesystem::path file =
      options.out / ((options.experiment == "all" ? "paper" : options.experiment) + ".html");
  const std::string today = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  write_file(file,
             paper::format_document(chapters, summarize(options), {std::string(version()), today, options.command}));
  if (options.verbosity != Verbosity::quiet)
    print("{}\nreport   {}\n", paper::format_verdicts(chapters), file.string());
  return success;
}

}  // namespace varimesh::cli
