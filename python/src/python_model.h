#pragma once

#include <nanobind/nanobind.h>

#include "varimesh/inverse/forward_model.h"
#include "varimesh/inverse/log_likelihood.h"

namespace varimesh::python {

// Models that a user wrote in Python. Every call takes the interpreter's lock for as long as Python runs; what Python
// raises ends the computation, and is raised again where it was begun, with its traceback.

/// predict(x), and derivatives by any of jacobian(x), jvp(x, v) = J v and vjp(x, w) = J' w.
class PythonModel final : public inverse::ForwardModel {
 public:
  /// The functions may be None, but for predict; without any derivative, linearize() throws InputError.
  PythonModel(Index unknowns, Index predictions, nanobind::object predict, nanobind::object jacobian,
              nanobind::object jvp, nanobind::object vjp);
  ~PythonModel() override;

  Index num_parameters() const override { return unknowns_; }
  Index num_predictions() const override { return predictions_; }
  Vector predict(const Vector& x) const override;
  std::unique_ptr<inverse::Linearization> linearize(const Vector& x) const override;

  bool has_jacobian() const { return !jacobian_.is_none(); }
  bool has_jvp() const { return !jvp_.is_none(); }
  bool has_vjp() const { return !vjp_.is_none(); }
  bool is_differentiable() const { return has_jacobian() || has_jvp() || has_vjp(); }
  Matrix jacobian(const Vector& x) const;
  Vector jvp(const Vector& x, const Vector& v) const;
  Vector vjp(const Vector& x, const Vector& w) const;

 private:
  Index unknowns_, predictions_;
  nanobind::object predict_, jacobian_, jvp_, vjp_;
};

/// log_likelihood(x), which gives a value and its gradient.
class PythonLikelihood final : public inverse::LogLikelihood {
 public:
  PythonLikelihood(Index unknowns, nanobind::object function);
  ~PythonLikelihood() override;

  Index num_parameters() const override { return unknowns_; }
  double value(const Vector& x) const override;
  double value_and_gradient(const Vector& x, Vector& gradient) const override;

 private:
  Index unknowns_;
  nanobind::object function_;
};

}  // namespace varimesh::python
