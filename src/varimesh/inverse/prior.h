#pragma once

#include "varimesh/random.h"
#include "varimesh/types.h"

namespace varimesh::inverse {

/// What is believed of kappa before measuring.
class Prior {
 public:
  virtual ~Prior() = default;

  virtual Index size() const = 0;
  virtual Vector sample(Random& random) const = 0;
  virtual double log_density(const Vector& kappa) const = 0;
  virtual double log_density_and_gradient(const Vector& kappa, Vector& gradient) const = 0;
};

}  // namespace varimesh::inverse
