#include "varimesh/paper/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "varimesh/file.h"
#include "varimesh/run/record_problem.h"
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

Repetition summarize(const result::ProblemRecord& problem, const result::MethodRecord& method,
                     const result::MethodRecord& referee) {
  Repetition numbers;
  numbers.kappa_error = method.kappa_error->value;
  numbers.u_error = method.u_error->value;
  const Vector z = (problem.truth->kappa - method.kappa.mean).cwiseQuotient(method.kappa.sd);
  numbers.coverage = static_cast<double>((z.array().abs() <= 2).count()) / static_cast<double>(z.size());
  if (!method.quantities.empty()) {
    numbers.flux_mean = method.quantities.front().mean;
    numbers.flux_sd = method.quantities.front().sd;
  }
  const Vector shift = (method.kappa.mean - referee.kappa.mean).cwiseQuotient(referee.kappa.sd);
  const Vector ratio = method.kappa.sd.cwiseQuotient(referee.kappa.sd);
  numbers.largest_shift = shift.cwiseAbs().maxCoeff();
  numbers.least_ratio = ratio.minCoeff();
  numbers.largest_ratio = ratio.maxCoeff();
  numbers.seconds = method.seconds;
  return numbers;
}

}  // namespace

const result::MethodRecord& Answers::of(std::string_view method) const {
  const auto found = std::ranges::find(methods, method, &result::MethodRecord::method);
  if (found == methods.end()) throw std::logic_error(fmt::format("the method {} was not asked", method));
  return *found;
}

Study::Study(std::string name, std::string text, StudyOptions options)
    : name_(std::move(name)), text_(std::move(text)), options_(std::move(options)) {}

void Study::tell(const std::string& what) const {
  if (options_.observer && !options_.observer(name_ + ": " + what)) throw StudyInterrupted{};
}

void Study::make_data(const std::string& data, std::uint64_t seed, const std::vector<run::Override>& settings) const {
  const std::filesystem::path directory = options_.directory / name_ / data;
  const std::filesystem::path measurements = directory / "data.csv", truth = directory / "truth.csv";
  if (file_exists(measurements) && file_exists(truth)) return;
  const run::Config config = run::parse_config(text_, directory / "problem.toml", settings);
  const run::Problem problem = run::build_problem(config, run::Data::ignored);
  const run::Simulation made = run::simulate(config, problem, {seed, std::nullopt, 0});
  ensure_directory(directory);
  write_files({{measurements, run::format_data(problem, made)}, {truth, run::format_truth(problem, made.truth)}});
}

Answers Study::infer(const std::string& data, const std::string& name, const std::vector<run::Override>& settings,
                     const std::vector<run::Method>& methods) const {
  const std::filesystem::path directory = options_.directory / name_ / data / name, file = directory / "problem.toml";
  ensure_directory(directory);
  const std::string text = run::override_text(text_, file, with_data(settings));
  write_file(file, text);
  const run::Config config = run::parse_config(text, file);
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  Answers answers{run::record_problem(config, problem), {}};
  for (const run::Method method : methods) {
    tell(fmt::format("{}, {}, {}", data, name, run::name(method)));
    answers.methods.push_back(run::infer_into(directory / std::string(run::name(method)), config, problem, posterior,
                                              answers.problem, method, {options_.threads, true})
                                  .method);
  }
  return answers;
}

std::vector<Repetition> Study::repeat(const std::string& data, const std::string& name,
                                      const std::vector<run::Override>& settings,
                                      const std::vector<run::Method>& methods) const {
  const std::filesystem::path file = options_.directory / name_ / data / name / "problem.toml";
  const run::Config config = run::parse_config(text_, file, with_data(settings));
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  const result::ProblemRecord record = run::record_problem(config, problem);
  std::vector<result::MethodRecord> answers;
  for (const run::Method method : methods) {
    tell(fmt::format("{}, {}, {}", data, name, run::name(method)));
    answers.push_back(run::infer(config, problem, posterior, method, {options_.threads, {}, false}));
  }
  std::vector<Repetition> numbers;
  for (const result::MethodRecord& answer : answers) numbers.push_back(summarize(record, answer, answers.front()));
  return numbers;
}

}  // namespace varimesh::paper
