#include "varimesh/inverse/forward_model.h"

namespace varimesh::inverse {

Matrix Linearization::jacobian_transposed_block(const Matrix& w) const {
  Matrix result;
  for (Eigen::Index c = 0; c < w.cols(); ++c) {
    const Vector column = jacobian_transposed(w.col(c));
    if (c == 0) result.resize(column.size(), w.cols());
    result.col(c) = column;
  }
  return result;
}

Matrix Linearization::jacobian_block(const Matrix& v) const { return jacobian() * v; }

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
