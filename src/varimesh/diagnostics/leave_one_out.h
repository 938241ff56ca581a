#pragma once

#include "varimesh/diagnostics/psis.h"
#include "varimesh/noise/noise.h"
#include "varimesh/result/leave_one_out.h"
#include "varimesh/types.h"

namespace varimesh::diagnostics {

// Each measurement as all others predict it, without repeating the inference (Vehtari, Gelman and Gabry, Statistics and
// Computing 27, 2017). Measurements are normal around their predictions, with known standard errors, unless there is a
// noise that says otherwise. Where sensors are correlated, predictions and standard errors are those given the
// measurements of all others (Buerkner, Gabry and Vehtari, Computational Statistics 36, 2021).

/// The weights of draws without measurement i: those of the draws, divided by p(y_i | draw), smoothed. `predictions`
/// are of measurement i, NaN where the model failed, which weighs nothing; `log_weights` are the draws' own, empty if
/// all are equal.
PsisResult weights_without(double measured, const Vector& predictions, double standard_error,
                           const Vector& log_weights);
/// The same of sensor i with such noise.
PsisResult weights_without(Index i, const Vector& predictions, const noise::Noise& noise, const Vector& log_weights);

/// Fills in measurement i by draws of its prediction and their weights without it.
void leave_out(Index i, double measured, const Vector& predictions, double standard_error, const PsisResult& weights,
               result::LeaveOneOut& found);
/// Replaces what assumes that measurements are normal: elpd, and the residual, which becomes the predictive score.
void leave_out_with(const noise::Noise& noise, Index i, const Vector& predictions, const PsisResult& weights,
                    result::LeaveOneOut& found);

/// What a standard normal variable would be as often below as sensor i's measurements below their prediction, by draws
/// of that and their log weights, which sum to one.
double predictive_score(const noise::Noise& noise, Index i, const Vector& predictions, const Vector& log_weights);

/// Every measurement, by draws of the predictions (measurements x draws). A noise that is null or normal is all in the
/// standard errors.
result::LeaveOneOut leave_each_out(const Vector& measured, const Matrix& predictions, const Vector& standard_error,
                                   const Vector& log_weights, int threads, const noise::Noise* noise = nullptr);

/// Every measurement in a linear model with normal unknowns, by the predictions from all measurements and the leverages
/// h_i = dprediction_i / dmeasured_i: exact there.
result::LeaveOneOut leave_each_out_linearly(const Vector& measured, const Vector& predicted,
                                            const Vector& standard_error, const Vector& leverage);

/// Whether residuals without the measurement are as large as they should be: the sum of squares that a field which
/// follows its data leaves, with the degrees of freedom, and how many sds of a normal distribution it is from these.
struct Misfit {
  double sum = 0, freedom = 0, sds = 0;
};
Misfit misfit(const result::LeaveOneOut& found, const Vector& standard_error);

}  // namespace varimesh::diagnostics
