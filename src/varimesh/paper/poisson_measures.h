#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/paper/poisson.h"

namespace varimesh::paper {

// Numbers by which claims about Poisson 1D and 2D are judged.

// What the paper's words mean, as ratios to HMC unless it says otherwise. They are our choice: the paper judges by eye.
constexpr double comparable_error = 1.25;                   ///< "comparable" errors
constexpr double high_error = 1.1;                          ///< "high" error
constexpr double adequate_low = 0.8, adequate_high = 1.25;  ///< sds that "agree", are "adequate"
constexpr double great_underestimate = 0.5;                 ///< sds that "greatly underestimate"
constexpr double small_shift = 0.5;                         ///< of a mean, in sds
constexpr double order_of_magnitude = 10;                   ///< of times
constexpr double reliable_khat = 0.7;

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

using Cases = std::vector<const PoissonCase*>;

Cases all_of(const std::vector<PoissonCase>& cases);

/// Over the cases, the median over repetitions of a method's number relative to HMC's.
Range relative_to_hmc(const Cases& cases, std::string_view method, double Repetition::* number);
/// Over the cases, the median over repetitions.
Range medians(const Cases& cases, std::string_view method, double Repetition::* number);
/// Over the cases, the median over repetitions of the shift of the flux's mean, in sds of HMC.
Range flux_shift(const Cases& cases, std::string_view method);
/// Over the cases, HMC's seconds by those of a fit.
Range speedup(const Cases& cases, std::string_view method);

/// A claim of several parts, of which some hold.
Verdict verdict_of(int held, int parts);

/// "20 data sets"
std::string repeated(const PoissonCase& some);

/// How alike two precision matrices are: the correlation of their partial correlations.
double likeness(const Matrix& precision, const Matrix& other);

}  // namespace varimesh::paper
