#pragma once

#include <vector>

#include "varimesh/transform.h"

namespace varimesh {

/// What is believed of an unknown scalar: a transform of a variable that has one of several normal distributions, each
/// with its relative weight.
struct ScalarPrior {
  struct Normal {
    double weight = 1, mean = 0, sigma = 1;
  };
  Transform transform;
  std::vector<Normal> normals;

  /// p(v) = sum_k w_k N(x; m_k, s_k^2) / t'(x), v = t(x); 0 where the transform never comes.
  double density(double value) const;
};

}  // namespace varimesh
