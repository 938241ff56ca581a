#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/paper/chapter.h"
#include "varimesh/paper/study.h"

namespace varimesh::paper {

// The benchmark of Aristoff and Bangerth: what was inferred, and what the chapter makes of it.

constexpr const char* benchmark_methods[] = {"hmc", "mfvb", "fcvb", "pmvb"};
constexpr double overestimate = 1.25;  ///< from which sd relative to HMC's on we call it an overestimate

/// A method's answer beside HMC's.
struct Compared {
  std::string label;                             ///< "FCVB"
  const result::MethodRecord* record = nullptr;  ///< of the answers
  Repetition numbers;
  Vector sd_ratio;  ///< of each block to HMC's

  /// Blocks whose sd is an overestimate.
  Index num_overestimated() const { return static_cast<Index>((sd_ratio.array() > overestimate).count()); }
  /// Root mean square over the blocks of log(sd / HMC's sd): zero if all agree.
  double sd_distance() const;
};

/// All methods with one prior.
struct PriorCase {
  std::string id;     ///< "paper-prior"
  std::string prior;  ///< "N(0, 1)"
  Answers answers;

  Compared of(std::string_view method) const;
  /// A method that was asked elsewhere.
  Compared compare(const result::MethodRecord& method, const std::string& label) const;
};

/// The mean of theta = exp(kappa) in two blocks that mirror each other at the diagonal, or in one on it.
struct ThetaPair {
  Index block = 0;  ///< the first of the two
  double published = 0, published_error = 0;
  result::Estimate ours;  ///< with its Monte Carlo standard error

  /// The difference in standard errors, of both.
  double off() const;
  bool agrees() const;
};

/// The published means (a CSV file: index, mean_theta, pair_reldiff) beside those of chains. Throws InputError if there
/// is not one for each of the unknowns, or if these are not the blocks of a square.
std::vector<ThetaPair> compare_theta(std::string_view published, const result::Draws& draws);

struct BenchmarkAnswers {
  PriorCase paper, own;       ///< the paper's prior, and the benchmark's own
  result::MethodRecord adam;  ///< FCVB by the paper's optimiser, with the paper's prior
  std::vector<ThetaPair> theta;
};

/// The whole chapter with further settings of all methods.
Chapter benchmark_with(const StudyOptions& options, const std::vector<run::Override>& settings);

// Parts of the chapter.

Json posterior_figure(const PriorCase& some, const std::optional<Claim>& claim);
Json sd_figure(const BenchmarkAnswers& answers, const Claim& claim);
Json theta_figure(const std::vector<ThetaPair>& pairs);
/// How many pairs agree, which do not, and why.
std::string theta_findings(const std::vector<ThetaPair>& pairs);
Json benchmark_table(const BenchmarkAnswers& answers);

Claim mean_claim(const BenchmarkAnswers& answers);
Claim sd_claim(const BenchmarkAnswers& answers);
Claim optimum_claim(const BenchmarkAnswers& answers);
std::vector<Evidence> benchmark_evidence(const BenchmarkAnswers& answers);

}  // namespace varimesh::paper
