#pragma once

#include <functional>
#include <memory>

#include "varimesh/inverse/posterior.h"
#include "varimesh/result/method_record.h"
#include "varimesh/run/inverse_problem.h"
#include "varimesh/run/method_config.h"
#include "varimesh/variational/fit.h"

namespace varimesh::run {

/// What the moves between fits are measured by.
struct AnswerScale {
  Vector field_sd, quantity_sd;  ///< zero or NaN of a quantity that the field does not change
};

/// Quantities at fields, one a column; NaN where the model fails. Called by several threads at once.
using QuantitiesOf = std::function<Matrix(const Matrix& kappa)>;

/// Fits a likelihood with a prior, and with each of some others, in the same way, and compares the fits. Up to
/// `threads` of them are made at a time, each on one thread; the result does not depend on how many. When `observer`
/// says no, nothing is known.
result::PriorSensitivity compare_priors(const std::shared_ptr<const inverse::LogLikelihood>& likelihood,
                                        const std::shared_ptr<const inverse::Prior>& prior,
                                        const std::vector<NamedPrior>& others, const QuantitiesOf& quantities,
                                        const AnswerScale& scale, const variational::FitOptions& options, int threads,
                                        const result::FitObserver& observer = {});

/// What a method's answer becomes with the alternatives to the problem's prior. Left out where that would take long,
/// unless the file asks for it (method.sensitivity), and of priors without alternatives.
result::PriorSensitivity question_prior(const MethodConfig& config, const InverseProblem& problem,
                                        const inverse::Posterior& posterior, const result::MethodRecord& record,
                                        int threads, const result::FitObserver& observer);

}  // namespace varimesh::run
