#pragma once

namespace varimesh::result {

/// Work done on the model.
struct Counts {
  long long values = 0;          ///< evaluations without derivative
  long long gradients = 0;       ///< evaluations with a gradient
  long long jacobians = 0;       ///< evaluations with a Jacobian
  long long forward_solves = 0;  ///< one for each evaluation, one for each product with a Jacobian
  long long adjoint_solves = 0;  ///< one for each gradient, row of a Jacobian, or product with its transpose
  long long factorizations = 0;  ///< one for each evaluation

  Counts& operator+=(const Counts& other) {
    values += other.values;
    gradients += other.gradients;
    jacobians += other.jacobians;
    forward_solves += other.forward_solves;
    adjoint_solves += other.adjoint_solves;
    factorizations += other.factorizations;
    return *this;
  }

  friend bool operator==(const Counts&, const Counts&) = default;
};

}  // namespace varimesh::result
