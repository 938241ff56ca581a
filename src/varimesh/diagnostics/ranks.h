#pragma once

#include <cstdint>
#include <vector>

#include "varimesh/diagnostics/effective_sample_size.h"
#include "varimesh/types.h"

namespace varimesh::diagnostics {

/// The value at level p (0 to 1) of ascending values, interpolated between neighbours: R's and NumPy's default, type 7
/// of Hyndman and Fan (1996).
double quantile(const std::vector<double>& ascending, double p);

/// The draws of one quantity in ascending order, sorted once, and what follows from it. An object keeps its tables
/// between quantities and serves one thread at a time.
class Ranks {
 public:
  /// Sorts finite draws, draws x chains.
  void sort(const Matrix& draws);

  const std::vector<double>& ascending() const { return values_; }
  double median() const;

  /// Draws replaced by normal scores of their ranks r among the S draws of the split chains, Phi^-1((r - 3/8) / (S +
  /// 1/4)), equal draws sharing their mean rank; zero for draws that splitting leaves out.
  void scores(Matrix& z) const;
  /// The same for their distances from the median of all draws.
  void folded_scores(Matrix& z);

 private:
  struct Item {
    std::uint64_t key;  ///< ascends with the value
    Index place;
  };

  /// Scores of values in ascending order at these places.
  void scores_of(const std::vector<double>& ascending, const std::vector<Index>& places, Matrix& z) const;

  Index rows_ = 0, columns_ = 0, num_scored_ = 0;
  std::vector<Item> items_, sorted_;
  std::vector<double> values_, folded_values_;
  std::vector<Index> places_, folded_places_;  ///< of the values in the matrix of draws
  std::vector<double> table_;                  ///< scores of the ranks 1, 3/2, 2 .. S
};

}  // namespace varimesh::diagnostics
