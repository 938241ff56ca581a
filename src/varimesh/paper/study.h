#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/override.h"

namespace varimesh::paper {

/// How much of an experiment to do, and where.
struct StudyOptions {
  std::filesystem::path directory;
  int threads = 1;
  Index seeds = 20;  ///< repetitions with other truths and data
  /// Called before every inference with what it is; the study stops if it returns false.
  std::function<bool(const std::string& what)> observer;
};

/// What ends a study that its observer stopped.
struct StudyInterrupted {};

/// One inverse problem of a study: what was measured, and what methods say.
struct Answers {
  result::ProblemRecord problem;
  std::vector<result::MethodRecord> methods;

  /// The answer of a method that was asked.
  const result::MethodRecord& of(std::string_view method) const;
};

/// What is kept of a repetition.
struct Repetition {
  double kappa_error = 0, u_error = 0;
  double coverage = 0;  ///< share of unknowns whose truth is within two sds
  double flux_mean = 0, flux_sd = 0;
  double largest_shift = 0;                   ///< of means, in sds of the referee
  double least_ratio = 0, largest_ratio = 0;  ///< of sds to the referee's
  double seconds = 0;
};

/// Inverse problems that come from one problem file by settings over it, with data made from truths.
class Study {
 public:
  /// `name` is its directory; `text` its problem file.
  Study(std::string name, std::string text, StudyOptions options);

  const StudyOptions& options() const { return options_; }

  /// Data in directory/NAME/`data`, made with these settings (the truth's prior, noise, replicates) and seed, unless
  /// they are there.
  void make_data(const std::string& data, std::uint64_t seed, const std::vector<run::Override>& settings) const;

  /// Methods on these data with these settings, in directory/NAME/`data`/`name` in the formats of 'varimesh run'. What
  /// is there from an earlier run with the same settings is read.
  Answers infer(const std::string& data, const std::string& name, const std::vector<run::Override>& settings,
                const std::vector<run::Method>& methods) const;

  /// The same without files, of which only numbers are kept, by method; the first method is the referee.
  std::vector<Repetition> repeat(const std::string& data, const std::string& name,
                                 const std::vector<run::Override>& settings,
                                 const std::vector<run::Method>& methods) const;

 private:
  void tell(const std::string& what) const;

  std::string name_, text_;
  StudyOptions options_;
};

}  // namespace varimesh::paper
