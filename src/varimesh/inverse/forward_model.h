#pragma once

#include <memory>

#include "varimesh/types.h"

namespace varimesh::inverse {

/// The forward map at one kappa, with its first derivative. A value: it owns what it needs (a factorisation, say), and
/// its const members may be called from several threads.
class Linearization {
 public:
  virtual ~Linearization() = default;

  /// G(kappa). All NaN if the model could not be evaluated there; then derivatives are unspecified.
  virtual const Vector& prediction() const = 0;
  /// J' w, with J = dG/dkappa.
  virtual Vector jacobian_transposed(const Vector& w) const = 0;
  /// J' W and J V for blocks of columns. The defaults go column by column and through jacobian(); models that do better
  /// are asked for blocks where there are many predictions, so that J itself is never needed.
  virtual Matrix jacobian_transposed_block(const Matrix& w) const;
  virtual Matrix jacobian_block(const Matrix& v) const;
  /// J, predictions x parameters. The default applies jacobian_transposed to every unit vector.
  virtual Matrix jacobian() const;
};

/// The map from parameters kappa to predicted measurements: what a user's own solver implements. Const members must be
/// safe to call from several threads, and must return the same numbers for the same kappa.
class ForwardModel {
 public:
  virtual ~ForwardModel() = default;

  virtual Index num_parameters() const = 0;
  virtual Index num_predictions() const = 0;
  virtual Vector predict(const Vector& kappa) const = 0;
  virtual std::unique_ptr<Linearization> linearize(const Vector& kappa) const = 0;
};

}  // namespace varimesh::inverse
