#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::result {

/// A prior that might have been assumed instead, and what the answer becomes with it. Moves are from the fit under the
/// assumed prior to the same kind of fit under this one, in sds of the answer, so that a method's own error is in
/// neither.
struct PriorAlternative {
  enum class Change { shorter, longer, narrower, wider, rougher };
  Change change = Change::shorter;
  std::string name;     ///< "half the length-scale (0.1)"
  std::string failure;  ///< why there is no fit: a clause; empty if there is one

  double log_evidence = 0;  ///< by Laplace's method, less that of the assumed prior: positive if the data prefer it
  double field_shift = 0;   ///< how far the mean of an unknown moves, in sds, where that is largest
  Index unknown = 0;        ///< where that is
  double own_shift = 0;     ///< the largest such move in the sds that the unknowns have under this prior
  double outside = 0;       ///< the share of the unknowns whose mean leaves the 90 % interval
  double sd_ratio = 1;      ///< sd over that under the assumed prior: the geometric mean over the unknowns
  double held = 0;  ///< the share of the field that the 90 % intervals are expected to hold if this prior is right
  Vector quantity_mean, quantity_sd;  ///< NaN where the model fails
  Vector quantity_shift;              ///< how far the mean of each moves, in sds; NaN for one without sd
  Vector quantity_held;               ///< the probability that the 90 % interval holds it if this prior is right

  bool is_fitted() const { return failure.empty(); }
  /// Whether it lets the field vary more from place to place than the assumed one.
  bool is_rougher() const { return change == Change::shorter || change == Change::rougher; }
};
constexpr std::string_view prior_change_names[] = {"shorter", "longer", "narrower", "wider", "rougher"};

/// What the answer owes to the prior. Nothing is known without alternatives.
struct PriorSensitivity {
  std::string skipped;                ///< why it was not looked at: a clause; empty if it was, or nobody asked
  Vector quantity_mean, quantity_sd;  ///< of the fit under the assumed prior
  std::vector<PriorAlternative> alternatives;
  Index shown = 0;  ///< the alternative under which the intervals hold the least of the field
  Vector shift;     ///< how far the mean of each unknown moves under it, in sds

  bool is_known() const { return !alternatives.empty(); }
};

}  // namespace varimesh::result
