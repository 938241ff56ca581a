#pragma once

#include <vector>

#include "varimesh/random.h"
#include "varimesh/types.h"

namespace varimesh::hyper {

/// A function known at some points z (one a column), as -|z|^2/2 plus a smooth interpolation of the rest (kriging with
/// a squared-exponential kernel): far from all points it falls as a normal density does.
class Surrogate {
 public:
  Surrogate(Matrix points, const Vector& values);

  double value(const Vector& z) const;

  /// Which of some draws of its density (one a column) to evaluate next: where a value would make all of them known
  /// best, by the variance that kriging leaves.
  Eigen::Index most_informative(const Matrix& draws) const;

  /// Draws of the density proportional to exp(value), with the logarithm of its integral.
  struct Draws {
    Matrix z;
    double log_integral = 0;
  };
  Draws sample(Index count, Random& random) const;

 private:
  Matrix points_;
  Matrix factor_;  ///< L of the points' correlations, L L'
  Vector coefficients_;
  double offset_ = 0;
};

}  // namespace varimesh::hyper
