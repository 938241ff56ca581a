#pragma once

#include <memory>
#include <string>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::umbridge {

/// A function of one vector with one vector as its value, as UM-Bridge serves it. Const members are safe to call from
/// several threads. All NaN where it cannot be evaluated.
class Model {
 public:
  virtual ~Model() = default;

  virtual std::string name() const = 0;
  virtual Index input_size() const = 0;
  virtual Index output_size() const = 0;
  virtual Vector evaluate(const Vector& x) const = 0;
  /// J' s
  virtual Vector gradient(const Vector& x, const Vector& sensitivity) const = 0;
  /// J v
  virtual Vector apply_jacobian(const Vector& x, const Vector& direction) const = 0;
  /// Whether there is apply_hessian.
  virtual bool has_hessian() const { return false; }
  /// The derivative of J' s along v; of log-densities by Gauss-Newton, so of predictions that bend it lacks a part.
  virtual Vector apply_hessian(const Vector& x, const Vector& sensitivity, const Vector& direction) const;
};

using Models = std::vector<std::unique_ptr<const Model>>;

}  // namespace varimesh::umbridge
