#pragma once

#include <functional>

#include "varimesh/inverse/posterior.h"
#include "varimesh/result/method_record.h"
#include "varimesh/run/config.h"

namespace varimesh::run {

/// What takes the place of a fit that its own weights do not prove: a normal distribution that is fitted by KL(q || p)
/// is too narrow wherever the posterior is not normal.
struct Correction {
  enum Kind {
    none,
    local,       ///< the fit's mean, with the covariance of the curvature there
    randomized,  ///< weighted draws that are not normal (variational/randomize_then_optimize.h)
  } kind = none;
  Index draws = 0, directions = 0, failures = 0;  ///< randomized
  double khat = 0, effective = 0;                 ///< of its weights; the fewest effective draws of all quantities
};

/// Puts draws that are not normal, and their weights, into the place of a fit's, as many as can be had in so many
/// seconds. Kind none, with nothing changed but the work counted, if that is not possible (no forward model, no normal
/// noise or prior, no memory), if too few can be had, or if `proceed`, asked now and then with the share that is done,
/// said stop.
Correction randomize_fit(const MethodConfig& config, const inverse::Posterior& posterior, int threads, double seconds,
                         const std::function<bool(double done)>& proceed, result::MethodRecord& fit);

/// Whether weights make such draws exact, to the standard that chains are held to: a tail of finite variance, and 400
/// effective draws of every quantity's bulk and tails, which must have been predicted. Sets correction.effective.
bool are_exact(const result::MethodRecord& randomized, Correction& correction);
/// Whether they are better than a normal distribution, all the same.
bool are_usable(const result::MethodRecord& randomized, const Correction& correction);

/// Puts the covariance at a fit's mean into the place of its own, with new draws. Kind none, with nothing changed, if
/// that is not possible.
Correction localize_fit(const MethodConfig& config, const inverse::Posterior& posterior, Method method, int threads,
                        result::MethodRecord& fit);

}  // namespace varimesh::run
