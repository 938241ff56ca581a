#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/paper/repetition.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/override.h"

namespace varimesh::paper {

/// What a study is doing, and which share of its work is done.
struct StudyProgress {
  std::string what;
  double done = 0;
};

/// Steps of Adam before which the original code could not stop: of mean field, and of the families with matrices.
constexpr Index paper_mean_field_steps = 150'000, paper_matrix_steps = 500'000;

/// How much of an experiment to do, and where.
struct StudyOptions {
  std::filesystem::path directory;
  int threads = 1;
  Index seeds = 20;                 ///< truths and data, of which the first is shown in the figures
  std::optional<Index> adam_steps;  ///< at most, of each fit by it, which is then tried in all cases
  bool resume = true;               ///< read what is there from an earlier run with the same settings
  /// Called before every inference and now and then in it, by one thread at a time; the study stops soon after it
  /// returns false.
  std::function<bool(const StudyProgress&)> observer;

  /// As many steps of Adam as usual, or a fraction of them for a quick look with one seed, unless told otherwise.
  Index adam_steps_for(Index usual, Index fraction = 100) const {
    return adam_steps.value_or(seeds > 1 ? usual : usual / fraction);
  }
};

/// What ends a study that its observer stopped.
struct StudyInterrupted {};

/// A setting over a problem file.
run::Override setting(const std::string& key, double value);
run::Override setting(const std::string& key, const std::string& word);

/// Methods on some data, with settings over the problem file.
struct Case {
  std::string data;  ///< the directory of the data
  std::string name;  ///< the directory in it for the results
  std::vector<run::Override> settings;
  std::vector<run::Method> methods;
  double weight = 1;  ///< of each method in the study's work, for progress
};

/// One inverse problem of a study: what was measured, and what methods say.
struct Answers {
  result::ProblemRecord problem;
  std::vector<result::MethodRecord> methods;  ///< in the order they were asked

  /// The answer of a method that was asked, by its word ("fcvb").
  const result::MethodRecord& of(std::string_view method) const;
};

/// Something to do on one thread, side by side with others.
using Task = std::function<void()>;

/// Inverse problems that come from one problem file by settings over it. Each is inferred on one thread, so that as
/// many as there are threads can be inferred side by side without losing time, and so that seconds are seconds of one
/// core.
class Study {
 public:
  /// `name` is its directory; `text` its problem file; `work` the weight of all that will be inferred, for progress.
  Study(std::string name, std::string_view text, StudyOptions options, double work);

  const StudyOptions& options() const { return options_; }

  /// Made-up data in directory/NAME/`data`, with these settings (the truth's prior, noise, replicates) and seed, unless
  /// they are there.
  void make_data(const std::string& data, std::uint64_t seed, const std::vector<run::Override>& settings) const;
  /// The same with given CSV files.
  void put_data(const std::string& data, std::string_view measurements, std::string_view truth) const;

  /// Infers, one method after the other, into directory/NAME/DATA/CASE in the formats of 'varimesh run'. What is there
  /// from an earlier run with the same settings is read.
  Answers infer(const Case& asked) const;
  /// The same, but only numbers are kept, for each method, in DATA/CASE.json; the first method is the referee.
  std::vector<Repetition> repeat(const Case& asked) const;

  /// Adds a task for each method, which will infer the case; `answers` must stay where it is until it is done.
  void ask(const Case& asked, Answers& answers, std::vector<Task>& tasks) const;
  /// Does the tasks side by side, on all threads, in this order as threads become free. If one throws, the others stop
  /// soon.
  void run(const std::vector<Task>& tasks) const;
  /// infer for several cases, side by side.
  std::vector<Answers> infer_side_by_side(const std::vector<Case>& cases) const;

 private:
  class Progress;

  std::string name_, text_;
  StudyOptions options_;
  double work_;
  mutable std::mutex telling_;
  mutable double done_ = 0;       ///< of the work; guarded by telling_
  mutable bool stopped_ = false;  ///< a task has failed; guarded by telling_
};

}  // namespace varimesh::paper
