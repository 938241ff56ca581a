#include "varimesh/inverse/forward_model.h"

namespace varimesh::inverse {

Matrix Linearization::jacobian() const {
  const Eigen::Index rows = prediction().size();
  Matrix result;
  for (Eigen::Index r = 0; r < rows; ++r) {
    const Vector row = jacobian_transposed(Vector::Unit(rows, r));
    if (r == 0) result.resize(rows, row.size());
    result.row(r) = row.transpose();
  }
  return result;
}

}  // namespace varimesh::inverse
