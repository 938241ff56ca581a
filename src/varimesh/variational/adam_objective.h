#pragma once

#include <vector>

#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/inverse/posterior.h"
#include "varimesh/variational/evaluator.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// The log-likelihood at draws; on several threads only if that takes longer than to start them.
class ThriftyEvaluator {
 public:
  explicit ThriftyEvaluator(Evaluator& evaluator) : evaluator_(evaluator) {}

  Vector values(const Matrix& kappa);
  Vector values_and_gradients(const Matrix& kappa, Matrix& gradients);

 private:
  bool is_slow() const { return times_slow_ >= 3; }

  Evaluator& evaluator_;
  Matrix gradient_;
  int times_slow_ = 0;
};

/// The ELBO by draws of q, with a control variate for each, and its gradient. Derivatives of log q by its parameters at
/// a given kappa have mean zero and are left out: what remains comes through kappa.
class AdamObjective {
 public:
  explicit AdamObjective(Evaluator& evaluator);

  /// From draws by z.
  void evaluate(const Family& q, const Matrix& z);
  /// The same with the gradient by q's parameters; false if no draw was good.
  bool evaluate_with_gradient(const Family& q, const Matrix& z);

  /// For each draw; not finite where the model fails.
  const Vector& value() const { return value_; }
  /// For each draw, of mean zero.
  const Vector& control() const { return control_; }
  /// Draws at which the model did not fail.
  Index good() const { return good_; }
  const Vector& gradient() const { return gradient_; }

 private:
  struct Group;

  void add_divergence(const Family& q, const Matrix& z, const Matrix& kappa, bool with_gradient);
  void subtract_divergences(const Group& group, bool with_gradient);
  void add_log_ratios(const Family& q, const Matrix& z, const Matrix& kappa, bool with_gradient);

  const inverse::Posterior& posterior_;
  ThriftyEvaluator model_;
  std::vector<const inverse::GaussianPrior*> priors_;  ///< the prior's components, if they are normal
  Vector log_weights_;
  Matrix share_;  ///< c_k for each component of q
  Index good_ = 0;
  Vector value_, control_, gradient_, divergence_gradient_;
  Matrix slope_;  ///< by kappa
};

}  // namespace varimesh::variational
