#pragma once

#include "varimesh/result/method_record.h"

namespace varimesh::run {

/// What importance weights make of a number that follows from each of a fit's draws.
struct Reweighted {
  double mean = 0, sd = 0;
  double khat =
      0;  ///< of the weights times the squared deviations, of which the sd is made: as a rule above the joint one
};
Reweighted reweight(const Vector& values, const Vector& log_weights);

/// How many independent draws would know a number's mean, its 5 % and its 95 % quantile as well: the fewest of the
/// three.
double effective_draws(const Vector& values, const Vector& log_weights);

/// Whether a fit has a weight for every draw, and every quantity a value.
bool can_be_reweighted(const result::MethodRecord& fit);

/// By how much importance weights change the field that a fit says: shifts are in the fit's sds. Both sides are of the
/// same draws, so that the noise is that of the weights alone: none where these are even.
struct FieldChange {
  double shift = 0;          ///< of the means, root mean square over unknowns
  double largest_shift = 0;  ///< of one unknown
  double log_ratio = 0;      ///< of the weighted sds and the fit's, the mean over unknowns
};
FieldChange field_change_by_weights(const result::MethodRecord& fit);

/// Whether that is too much for the fit to be called good: a tenth of an sd on the whole, three tenths somewhere, or
/// sds that are a tenth too small or too large.
bool is_noticeable(const FieldChange& change);

/// By how much importance weights change what a fit says, at most: of every quantity, and of the field on average.
struct Change {
  double shift = 0;      ///< of means, in the fit's sds
  double log_ratio = 0;  ///< of the corrected sd and the fit's
  double khat = 0;       ///< of quantities, the largest
};
Change change_by_weights(const result::MethodRecord& fit);

/// Makes a fit's answer exact as far as its weights can: draws that are taken as often as their weights say, and the
/// field's summary from these. The fitted distribution itself is no longer part of the answer.
void resample(result::MethodRecord& fit);

}  // namespace varimesh::run
