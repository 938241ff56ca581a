#include "varimesh/paper/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/parallel.h"
#include "varimesh/run/record_problem.h"
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

Study::Study(std::string name, std::string_view text, StudyOptions options, Index inferences)
    : name_(std::move(name)), text_(text), options_(std::move(options)), inferences_(inferences) {}

bool Study::tell(const std::string& what) const {
  if (!options_.observer) return true;
  const std::lock_guard lock(telling_);
  return options_.observer({name_ + ": " + what, static_cast<double>(done_) / static_cast<double>(inferences_)});
}

/// An answer to go on with.
result::MethodRecord Study::require_answer(result::MethodRecord answer, const std::filesystem::path& where) const {
  if (answer.status == result::Status::interrupted) throw StudyInterrupted{};
  if (!answer.has_answer())
    throw InputError(fmt::format("{}: {} has no answer: {}", where.string(), answer.name, answer.message));
  ++done_;
  return answer;
}

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

Answers Study::infer(const Case& asked) const { return infer(asked, options_.threads); }

Answers Study::infer(const Case& asked, int threads) const {
  const std::filesystem::path directory = options_.directory / name_ / asked.data / asked.name;
  const std::filesystem::path file = directory / "problem.toml";
  ensure_directory(directory);
  const std::string text = run::override_text(text_, file, with_data(asked.settings));
  write_file(file, text);
  const run::Config config = run::parse_config(text, file);
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  Answers answers{run::record_problem(config, problem), {}};
  for (const run::Method method : asked.methods) {
    const std::string what = fmt::format("{}, {}, {}", asked.data, asked.name, run::name(method));
    if (!tell(what)) throw StudyInterrupted{};
    const std::filesystem::path results = directory / std::string(run::name(method));
    if (!options_.resume) run::remove_result(results);
    answers.methods.push_back(require_answer(
        run::infer_into(results, config, problem, posterior, answers.problem, method, {threads, options_.resume},
                        [&](const run::InferenceProgress&) { return tell(what); })
            .method,
        results));
  }
  return answers;
}

std::vector<Answers> Study::infer_side_by_side(const std::vector<Case>& cases) const {
  std::vector<Answers> answers(cases.size());
  parallel_for(static_cast<Index>(cases.size()), options_.threads, [&](Index k) {
    const auto place = static_cast<std::size_t>(k);
    answers[place] = infer(cases[place], 1);
  });
  return answers;
}

std::vector<std::vector<Repetition>> Study::repeat(const std::vector<Case>& cases) const {
  std::vector<std::vector<Repetition>> numbers(cases.size());
  parallel_for(static_cast<Index>(cases.size()), options_.threads, [&](Index k) {
    const auto place = static_cast<std::size_t>(k);
    numbers[place] = repeat(cases[place], fmt::format("repetition {} of {}", k + 1, cases.size()));
  });
  return numbers;
}

std::vector<Repetition> Study::repeat(const Case& asked, const std::string& what) const {
  if (!tell(what)) throw StudyInterrupted{};
  const std::filesystem::path directory = options_.directory / name_ / asked.data;
  const run::Config config =
      run::parse_config(text_, directory / asked.name / "problem.toml", with_data(asked.settings));
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  const result::ProblemRecord record = run::record_problem(config, problem);
  std::string key;
  for (const run::Method method : asked.methods)
    key += key_of(record, run::describe_method(config, problem, posterior, method)) + "\n";

  constexpr std::uintmax_t most_bytes = 1 << 20;
  const std::filesystem::path file = directory / (asked.name + ".json");
  if (options_.resume && file_exists(file)) {
    std::vector<Repetition> earlier = parse_repetitions(read_file(file, most_bytes), key);
    done_ += static_cast<Index>(earlier.size());
    if (!earlier.empty()) return earlier;
  }
  std::vector<Repetition> numbers;
  std::optional<result::MethodRecord> referee;
  for (const run::Method method : asked.methods) {
    result::MethodRecord answer = require_answer(run::infer(config, problem, posterior, method, {1, {}, false},
                                                            [&](const run::InferenceProgress&) { return tell(what); }),
                                                 file);
    if (!referee) referee = answer;
    numbers.push_back(summarize(record, answer, *referee));
  }
  write_file(file, format_repetitions(key, numbers));
  return numbers;
}

}  // namespace varimesh::paper
