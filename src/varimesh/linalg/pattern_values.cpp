#include "varimesh/linalg/pattern_values.h"

#include <fmt/format.h>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/ordering.h"

namespace varimesh::linalg {

Matrix to_tree(const CliqueTree& tree, const Eigen::Ref<const Matrix>& x) {
  Matrix result(x.rows(), x.cols());
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < tree.size(); ++i) result(i, j) = x(tree.order()[i], j);
  }
  return result;
}

Matrix from_tree(const CliqueTree& tree, const Eigen::Ref<const Matrix>& x) {
  Matrix result(x.rows(), x.cols());
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < tree.size(); ++i) result(tree.order()[i], j) = x(i, j);
  }
  return result;
}

Vector values_on_pattern(const CliqueTree& tree, const SparseMatrix& matrix) {
  Vector values = Vector::Zero(static_cast<Eigen::Index>(tree.num_entries()));
  const Ordering position = inverse(tree.order());
  for (int column = 0; column < matrix.outerSize(); ++column) {
    if (column % 256 == 0) throw_if_interrupted();
    for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
      const Index i = position[entry.row()], j = position[entry.col()];
      if (i < j) continue;
      const std::size_t place = tree.find(i, j);
      if (place == tree.num_entries())
        throw InputError(fmt::format(
            "expected a sparse pattern that contains the precision matrix, found one without its entry ({}, {})",
            entry.row(), entry.col()));
      values[static_cast<Eigen::Index>(place)] = entry.value();
    }
  }
  return values;
}

Vector values_on_pattern(const CliqueTree& tree, const Matrix& matrix) {
  Vector values = Vector::Zero(static_cast<Eigen::Index>(tree.num_entries()));
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const CliqueTree::Clique c = tree.clique(k);
    auto block = block_of(values, c);
    for (Index j = 0; j < c.columns; ++j) {
      const Index column = tree.order()[c.first + j];
      for (Index i = j; i < c.rows; ++i) block(i, j) = matrix(tree.order()[c.members[i]], column);
    }
  }
  return values;
}

bool is_finite_on_pattern(const CliqueTree& tree, const Vector& values) {
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const CliqueTree::Clique c = tree.clique(k);
    const auto block = block_of(values, c);
    for (Index j = 0; j < c.columns; ++j) {
      if (!block.col(j).tail(c.rows - j).allFinite()) return false;
    }
  }
  return true;
}

Vector chordal_diagonal(const CliqueTree& tree, const Vector& values) {
  Vector diagonal(tree.size());
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const CliqueTree::Clique c = tree.clique(k);
    diagonal.segment(c.first, c.columns) = block_of(values, c).diagonal();
  }
  return diagonal;
}

Matrix chordal_times(const CliqueTree& tree, const Vector& values, const Matrix& x) {
  Matrix result = Matrix::Zero(x.rows(), x.cols());
  Matrix below(tree.largest_separator(), x.cols());
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const CliqueTree::Clique c = tree.clique(k);
    Matrix a = block_of(values, c);
    a.topRows(c.columns).triangularView<Eigen::StrictlyUpper>() = a.topRows(c.columns).transpose();
    auto scattered = below.topRows(c.separator());
    // [y1; y2] += [A11 x1 + A21' x2; A21 x1]
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      for (Index i = 0; i < c.separator(); ++i) scattered(i, j) = x(c.members[c.columns + i], j);
    }
    multiply(Transpose::yes, Transpose::no, 1, a.bottomRows(c.separator()), scattered, 1,
             result.middleRows(c.first, c.columns));
    multiply(Transpose::no, Transpose::no, 1, a.topRows(c.columns), x.middleRows(c.first, c.columns), 1,
             result.middleRows(c.first, c.columns));
    multiply(Transpose::no, Transpose::no, 1, a.bottomRows(c.separator()), x.middleRows(c.first, c.columns), 0,
             scattered);
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      for (Index i = 0; i < c.separator(); ++i) result(c.members[c.columns + i], j) += scattered(i, j);
    }
  }
  return result;
}

double chordal_inner_product(const CliqueTree& tree, const Vector& a, const Vector& b) {
  double below = 0, diagonal = 0;
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const CliqueTree::Clique c = tree.clique(k);
    const auto block_a = block_of(a, c), block_b = block_of(b, c);
    for (Index j = 0; j < c.columns; ++j) {
      diagonal += block_a(j, j) * block_b(j, j);
      below += block_a.col(j).tail(c.rows - j - 1).dot(block_b.col(j).tail(c.rows - j - 1));
    }
  }
  return diagonal + 2 * below;
}

}  // namespace varimesh::linalg
