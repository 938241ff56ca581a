#pragma once

#include <functional>

#include "varimesh/inverse/posterior.h"
#include "varimesh/result/leave_one_out.h"
#include "varimesh/result/method_record.h"
#include "varimesh/run/inverse_problem.h"

namespace varimesh::run {

/// How many sensors are named with their influence.
constexpr Index most_named_sensors = 20;

/// Each sensor of a problem with observations as all others predict it, so that a poor approximation does not pass for
/// poor data:
/// - by the method's draws, weighted by posterior / (approximation x p(y_i | draw)), where these weights hold,
///   if need be after moving the draws (moment matching);
/// - else by the model, linearised at the most probable field, which is the prior's and the data's alone;
/// - where that is too large, by the prediction at the field's mean and the leverages that its draws have.
/// With noise that is not normal only the first is offered, and nothing is known where it cannot be had. The record has
/// predictions at its draws. Nothing is known if none of them is finite. When `go_on` says no, no more
/// draws are moved.
result::LeaveOneOut leave_one_out(const InverseProblem& problem, const inverse::Posterior& posterior,
                                  const result::MethodRecord& record, int threads,
                                  const std::function<bool()>& go_on = {});

}  // namespace varimesh::run
