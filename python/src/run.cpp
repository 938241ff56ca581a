#include "run.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <thread>

#include "answer.h"
#include "arrays.h"
#include "attend.h"
#include "progress.h"
#include "varimesh/directory_lock.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/evaluate.h"
#include "varimesh/run/predict_load.h"
#include "varimesh/run/run_methods.h"

namespace nb = nanobind;

namespace varimesh::python {
namespace {

/// A problem file, read, with what overrides it.
run::Config read(const std::filesystem::path& file, const std::vector<std::pair<std::string, std::string>>& overrides) {
  std::vector<run::Override> list;
  for (const auto& [key, value] : overrides) list.push_back({key, value});
  try {
    return run::read_config(file, list);
  } catch (const InputError& error) {
    constexpr std::string_view option = "--set ";  // of the command line
    const std::string_view message = error.what();
    if (!message.starts_with(option)) throw;
    throw InputError("set: " + std::string(message.substr(option.size())));
  }
}

int threads_or_all(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// run::require_usable in the words of Python.
void require_directory(const std::filesystem::path& directory, bool may_be_used) {
  if (file_exists(directory) && std::filesystem::is_directory(directory) && !is_unused(directory) && !may_be_used)
    throw InputError(
        fmt::format("'{}' exists: expected a new directory, resume=True or force=True", directory.string()));
  run::require_usable(directory, may_be_used);
}

struct Settings {
  std::filesystem::path file;
  std::vector<std::pair<std::string, std::string>> overrides;
  std::vector<std::string> methods;
  std::optional<std::uint64_t> seed;
  std::optional<double> budget;
  int threads = 0;
  std::optional<std::filesystem::path> out;
  bool resume = false, force = false;
  bool one = false;  ///< there must be one method only
};

/// What several methods say of one problem.
struct Outcome {
  std::vector<Answer> answers;
  std::vector<std::string> notes;  ///< on the problem's files
};

/// A problem file with what overrides its method.
run::Config read(const Settings& settings) {
  run::Config config = read(settings.file, settings.overrides);
  if (settings.seed) config.method.seed = *settings.seed;
  if (settings.budget) config.method.budget = *settings.budget;
  if (!settings.methods.empty()) config.method.use.clear();
  for (const std::string& word : settings.methods) config.method.use.push_back(run::parse_method(word));
  if (settings.one && config.method.use.size() > 1)
    throw InputError(
        fmt::format("{}: method.use: has {} methods: choose one by method=, or use varimesh.compare for all",
                    settings.file.string(), config.method.use.size()));
  return config;
}

Outcome infer_all(const Settings& settings, Progress& progress) {
  const run::Config config = read(settings);
  if (settings.out) require_directory(*settings.out, settings.resume || settings.force);
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  const run::ConfiguredProblem configured(config, problem);
  const auto observe = [&](const run::InferenceProgress& now) {
    progress.set(now);
    return !listening().cancellation->requested();
  };
  std::vector<result::MethodRecord> methods;
  const int threads = threads_or_all(settings.threads);
  if (settings.out) {
    run::RunResult found =
        run::run_methods(*settings.out, configured, posterior, config.method,
                         {threads, settings.resume, settings.force, "varimesh.run"}, {{}, observe, {}});
    if (found.fault) throw InputError(*found.fault);
    methods = std::move(found.methods);
  } else {
    for (const run::Method method : run::choose_methods(config.method)) {
      const bool began = completes(
          [&] { methods.push_back(run::infer(config.method, configured, posterior, method, {threads}, observe)); });
      if (!began) break;
    }
  }
  if (methods.empty()) throw Interrupted();
  Outcome outcome;
  if (problem.sensors) outcome.notes = problem.sensors->notes;
  const auto record = std::make_shared<const result::ProblemRecord>(configured.record());
  for (result::MethodRecord& method : methods)
    outcome.answers.push_back({record, std::make_shared<const result::MethodRecord>(std::move(method))});
  return outcome;
}

nb::tuple infer(const std::filesystem::path& file, const std::vector<std::pair<std::string, std::string>>& overrides,
                const std::vector<std::string>& methods, std::optional<std::uint64_t> seed,
                std::optional<double> budget, int threads, std::optional<std::filesystem::path> out, bool resume,
                bool force, bool one, nb::object progress) {
  const Settings settings{file, overrides, methods, seed, budget, threads, std::move(out), resume, force, one};
  Progress now;
  auto outcome = attend([&] { return infer_all(settings, now); },
                        [&] {
                          if (!progress.is_none()) now.tell(progress);
                        });
  std::vector<Answer> answers;
  std::vector<std::string> notes;
  if (outcome.value) {
    answers = std::move(outcome.value->answers);
    notes = std::move(outcome.value->notes);
  }
  return nb::make_tuple(answers, notes, outcome.interrupted);
}

/// What a result means for another load case.
Answer predict(const Answer& answer, const std::filesystem::path& file,
               const std::vector<std::pair<std::string, std::string>>& overrides, std::optional<Index> draws,
               std::uint64_t seed, int threads) {
  auto outcome = attend([&]() -> Answer {
    const run::Config config = read(file, overrides);
    const run::Problem problem = run::build_problem(config, run::Data::if_present);
    const run::ConfiguredProblem configured(config, problem);
    result::ProblemRecord record = configured.record();
    run::name_source(*answer.problem, record);
    result::MethodRecord method =
        run::predict_load(configured, {*answer.problem, *answer.method}, {draws, seed, threads_or_all(threads)});
    return {std::make_shared<const result::ProblemRecord>(std::move(record)),
            std::make_shared<const result::MethodRecord>(std::move(method))};
  });
  if (!outcome.value || outcome.interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    nb::raise_python_error();
  }
  return std::move(*outcome.value);
}

/// What the sensors read, u and the quantities at one vector of unknowns.
nb::dict evaluate(const std::filesystem::path& file, const std::vector<std::pair<std::string, std::string>>& overrides,
                  const std::string& kappa) {
  run::Evaluation evaluation;
  std::vector<std::string> names;
  {
    const nb::gil_scoped_release release;
    const run::Config config = read(file, overrides);
    const run::Problem problem = run::build_problem(config, run::Data::if_present);
    for (const run::Quantity& quantity : problem.quantities) names.push_back(quantity.name);
    evaluation = run::evaluate(problem, run::read_kappa(kappa, problem.num_unknowns()));
  }
  nb::dict values, quantities;
  for (std::size_t k = 0; k < names.size(); ++k) quantities[names[k].c_str()] = evaluation.quantities[k];
  values["log_likelihood"] = evaluation.log_likelihood;
  values["predictions"] = keep(std::move(evaluation.prediction));
  values["u"] = keep(std::move(evaluation.u));
  values["quantities"] = quantities;
  return values;
}

}  // namespace

void bind_run(nb::module_& module) {
  module.def("infer", &infer, nb::arg("file"), nb::arg("overrides"), nb::arg("methods"), nb::arg("seed").none(),
             nb::arg("budget").none(), nb::arg("threads"), nb::arg("out").none(), nb::arg("resume"), nb::arg("force"),
             nb::arg("one"), nb::arg("progress").none(),
             "Infers, and gives answers, notes, and whether it was interrupted.");
  module.def("predict", &predict, nb::arg("answer"), nb::arg("file"), nb::arg("overrides"), nb::arg("draws").none(),
             nb::arg("seed"), nb::arg("threads"), "What a result means for another load case.");
  module.def("evaluate", &evaluate, nb::arg("file"), nb::arg("overrides"), nb::arg("kappa"),
             "What the sensors read, u and the quantities at one vector of unknowns.");
}

}  // namespace varimesh::python
