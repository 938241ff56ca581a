#include "varimesh/paper/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/parallel.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/result_directory.h"
#include "varimesh/run/simulate.h"
#include "varimesh/run/stored_inference.h"

namespace varimesh::paper {
namespace {

/// The settings, and where the data are, seen from a directory in theirs.
std::vector<run::Override> with_data(std::vector<run::Override> settings) {
  settings.push_back({"observations.data", "\"../data.csv\""});
  settings.push_back({"truth.kappa", "\"../truth.csv\""});
  return settings;
}

/// All that an answer depends on.
std::string key_of(const result::ProblemRecord& problem, const result::MethodRecord& method) {
  std::string key = fmt::format("{} {} {} {}", problem.fingerprint, method.method, method.version, method.seed);
  for (const result::MethodSetting& setting : method.settings) {
    key += " " + setting.key + "=";
    if (const auto* number = std::get_if<double>(&setting.value)) key += fmt::format("{}", *number);
    if (const auto* flag = std::get_if<bool>(&setting.value)) key += *flag ? "true" : "false";
    if (const auto* word = std::get_if<std::string>(&setting.value)) key += *word;
  }
  return key;
}

}  // namespace

run::Override setting(const std::string& key, double value) { return {key, fmt::format("{}", value)}; }
run::Override setting(const std::string& key, const std::string& word) { return {key, '"' + word + '"'}; }

const result::MethodRecord& Answers::of(std::string_view method) const {
  const auto found = std::ranges::find(methods, method, &result::MethodRecord::method);
  if (found == methods.end()) throw std::logic_error(fmt::format("the method {} was not asked", method));
  return *found;
}

/// What is told of one case while it is inferred.
class Study::Progress {
 public:
  Progress(const Study& study, const Case& asked, std::string what)
      : study_(study), weight_(asked.weight), what_(std::move(what)) {}

  /// Tells that this method, the next one, is done by that share at least (NaN: unknown); false if the study should
  /// stop.
  bool tell(run::Method method, double share) {
    const std::lock_guard lock(study_.telling_);
    if (share > share_) advance(share);
    if (study_.stopped_) return false;
    const StudyOptions& options = study_.options_;
    return !options.observer || options.observer({fmt::format("{}: {}, {}", study_.name_, what_, run::name(method)),
                                                  study_.done_ / study_.work_});
  }

  /// The answer of the method that was told of last, to go on with.
  result::MethodRecord require_answer(result::MethodRecord answer, const std::filesystem::path& where) {
    if (answer.status == result::Status::interrupted) throw StudyInterrupted{};
    if (!answer.has_answer())
      throw InputError(fmt::format("{}: {} has no answer: {}", where.string(), answer.name, answer.message));
    finish(1);
    return answer;
  }

  /// So many methods are done.
  void finish(std::size_t methods) {
    const std::lock_guard lock(study_.telling_);
    advance(static_cast<double>(methods));
    share_ = 0;
  }

 private:
  void advance(double share) {
    study_.done_ += weight_ * (share - share_);
    share_ = share;
  }

  const Study& study_;
  double weight_;
  double share_ = 0;  ///< of the next method, told so far
  std::string what_;
};

Study::Study(std::string name, std::string_view text, StudyOptions options, double work)
    : name_(std::move(name)), text_(text), options_(std::move(options)), work_(work) {}

void Study::make_data(const std::string& data, std::uint64_t seed, const std::vector<run::Override>& settings) const {
  const std::filesystem::path directory = options_.directory / name_ / data;
  const std::filesystem::path measurements = directory / "data.csv", truth = directory / "truth.csv";
  if (options_.resume && file_exists(measurements) && file_exists(truth)) return;
  const run::Config config = run::parse_config(text_, directory / "problem.toml", settings);
  const run::Problem problem = run::build_problem(config, run::Data::ignored);
  const run::Simulation made = run::simulate(config, problem, {seed, std::nullopt, 0});
  ensure_directory(directory);
  write_files({{measurements, run::format_data(problem, made)}, {truth, run::format_truth(problem, made.truth)}});
}

void Study::put_data(const std::string& data, std::string_view measurements, std::string_view truth) const {
  const std::filesystem::path directory = options_.directory / name_ / data;
  ensure_directory(directory);
  write_files({{directory / "data.csv", std::string(measurements)}, {directory / "truth.csv", std::string(truth)}});
}

Answers Study::infer(const Case& asked) const {
  const std::filesystem::path directory = options_.directory / name_ / asked.data / asked.name;
  const std::filesystem::path file = directory / "problem.toml";
  ensure_directory(directory);
  const std::string text = run::override_text(text_, file, with_data(asked.settings));
  write_file(file, text);
  const run::Config config = run::parse_config(text, file);
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  const run::ConfiguredProblem configured(config, problem);
  Answers answers{configured.record(), {}};
  Progress progress(*this, asked, fmt::format("{}, {}", asked.data, asked.name));
  for (const run::Method method : asked.methods) {
    if (!progress.tell(method, 0)) throw StudyInterrupted{};
    const std::filesystem::path results = directory / std::string(run::name(method));
    if (!options_.resume) run::remove_result(results);
    answers.methods.push_back(progress.require_answer(
        run::infer_into(results, config.method, configured, posterior, method, {1, options_.resume, false},
                        [&](const run::InferenceProgress& now) { return progress.tell(method, now.done); })
            .method,
        results));
  }
  return answers;
}

std::vector<Repetition> Study::repeat(const Case& asked) const {
  const std::filesystem::path directory = options_.directory / name_ / asked.data;
  const run::Config config =
      run::parse_config(text_, directory / asked.name / "problem.toml", with_data(asked.settings));
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  const run::ConfiguredProblem configured(config, problem);
  const result::ProblemRecord& record = configured.record();
  std::string key;
  for (const run::Method method : asked.methods)
    key += key_of(record, run::describe_method(config.method, configured, posterior, method)) + "\n";

  Progress progress(*this, asked, fmt::format("{}, {}", asked.data, asked.name));
  constexpr std::uintmax_t most_bytes = 1 << 20;
  const std::filesystem::path file = directory / (asked.name + ".json");
  if (options_.resume && file_exists(file)) {
    std::vector<Repetition> earlier = parse_repetitions(read_file(file, most_bytes), key);
    progress.finish(earlier.size());
    if (!earlier.empty()) return earlier;
  }
  std::vector<Repetition> numbers;
  std::optional<result::MethodRecord> referee;
  for (const run::Method method : asked.methods) {
    if (!progress.tell(method, 0)) throw StudyInterrupted{};
    result::MethodRecord answer = progress.require_answer(
        run::infer(config.method, configured, posterior, method, {1, {}, false, false, false},
                   [&](const run::InferenceProgress& now) { return progress.tell(method, now.done); }),
        file);
    if (!referee) referee = answer;
    numbers.push_back(summarize(record, answer, *referee));
  }
  write_file(file, format_repetitions(key, numbers));
  return numbers;
}

void Study::ask(const Case& asked, Answers& answers, std::vector<Task>& tasks) const {
  answers.methods.resize(asked.methods.size());
  for (std::size_t k = 0; k < asked.methods.size(); ++k) {
    Case one = asked;
    one.methods = {asked.methods[k]};
    tasks.emplace_back([this, &answers, k, one] {
      Answers found = infer(one);
      answers.methods[k] = std::move(found.methods.front());
      if (k == 0) answers.problem = std::move(found.problem);
    });
  }
}

void Study::run(const std::vector<Task>& tasks) const {
  std::exception_ptr failure;  // the first: others are interrupted because of it
  const auto fail = [&] {
    const std::lock_guard lock(telling_);
    if (!failure) failure = std::current_exception();
    stopped_ = true;
  };
  try {
    parallel_for(static_cast<Index>(tasks.size()), options_.threads, [&](Index k) {
      try {
        tasks[static_cast<std::size_t>(k)]();
      } catch (...) {
        fail();
        throw;
      }
    });
  } catch (...) {
    if (!failure) throw;  // interrupted between two tasks
    std::rethrow_exception(failure);
  }
}

std::vector<Answers> Study::infer_side_by_side(const std::vector<Case>& cases) const {
  std::vector<Answers> answers(cases.size());
  std::vector<Task> tasks;
  for (std::size_t k = 0; k < cases.size(); ++k) ask(cases[k], answers[k], tasks);
  run(tasks);
  return answers;
}

}  // namespace varimesh::paper
