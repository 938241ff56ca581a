#pragma once

#include "varimesh/inverse/forward_model.h"
#include "varimesh/inverse/log_likelihood.h"
#include "varimesh/random.h"

namespace varimesh::inverse {

struct ContractOptions {
  int directions = 5;  ///< random directions to differentiate in
  int threads = 4;     ///< that call at once
};

/// What a forward model promises, measured at one kappa. All errors are relative; sound models are below about 1e-6.
struct ModelContract {
  double prediction_error;     ///< predict() against linearize().prediction()
  double derivative_error;     ///< J v against differences of predict(), worst of some random directions v
  double transposition_error;  ///< w'(J v) against (J' w)'v, and the rows of jacobian() against jacobian_transposed()
  bool same_on_threads;        ///< bitwise equal results when called from several threads at once

  bool holds(double tolerance = 1e-6) const {
    return prediction_error <= tolerance && derivative_error <= tolerance && transposition_error <= tolerance &&
           same_on_threads;
  }
};

ModelContract check_forward_model(const ForwardModel& model, const Vector& kappa, Random& random,
                                  const ContractOptions& options = {});

/// What a log-likelihood promises.
struct LikelihoodContract {
  double value_error;     ///< value() against value_and_gradient()
  double gradient_error;  ///< gradient' v against differences of value()
  bool same_on_threads;

  bool holds(double tolerance = 1e-6) const {
    return value_error <= tolerance && gradient_error <= tolerance && same_on_threads;
  }
};

LikelihoodContract check_log_likelihood(const LogLikelihood& likelihood, const Vector& kappa, Random& random,
                                        const ContractOptions& options = {});

}  // namespace varimesh::inverse
