#pragma once

#include <limits>
#include <string>
#include <vector>

#include "varimesh/paper/chapter.h"

namespace varimesh::paper {

// What the paper's words mean, as ratios to HMC unless it says otherwise. They are our choice, for the paper judges by
// eye; docs/paper.md lists them.

constexpr double comparable_error = 1.25;                   ///< "comparable" errors, "accurate" means
constexpr double high_error = 1.1;                          ///< "high" error
constexpr double adequate_low = 0.8, adequate_high = 1.25;  ///< sds that "agree", are "adequate"
constexpr double great_underestimate = 0.5;                 ///< sds that "greatly underestimate"
constexpr double small_shift = 0.5;                         ///< of a mean, in sds
constexpr double order_of_magnitude = 10;                   ///< of times
constexpr double reliable_khat = 0.7;                       ///< of importance weights: "high accuracy"

/// Correlation of partial correlations from which on precision matrices "match".
constexpr double alike = 0.8;

constexpr bool is_adequate(double ratio) { return ratio >= adequate_low && ratio <= adequate_high; }

/// The least and the largest of some numbers.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value);
  bool within(double least, double largest) const { return low >= least && high <= largest; }
  bool is_adequate() const { return within(adequate_low, adequate_high); }
  /// "0.91 to 1.04"
  std::string words() const;
};

/// How a claim of several parts, of which some hold, is judged.
constexpr Verdict verdict_of(int held, int parts) {
  if (held == parts) return Verdict::holds;
  return held == 0 ? Verdict::fails : Verdict::part;
}

/// A part of a claim, and what to say if it does not hold.
struct Part {
  bool holds = false;
  std::string otherwise;
};

/// Judges a claim by its parts, and says why for those that do not hold.
void judge(Claim& claim, const std::vector<Part>& parts);

}  // namespace varimesh::paper
