#pragma once

#include "varimesh/types.h"

namespace varimesh::variational {

/// A with A'A the curvature of the log-likelihood at one kappa (its Fisher information): rows x unknowns, by products.
class InformationFactor {
 public:
  virtual ~InformationFactor() = default;

  /// A, whole.
  virtual Matrix rows() const = 0;
  /// A' W and A V for blocks of columns.
  virtual Matrix transposed_times(const Matrix& w) const = 0;
  virtual Matrix times(const Matrix& v) const = 0;
};

}  // namespace varimesh::variational
