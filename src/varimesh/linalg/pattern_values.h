#pragma once

#include <Eigen/SparseCore>

#include "varimesh/linalg/clique_tree.h"
#include "varimesh/linalg/supernode.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

using SparseMatrix = Eigen::SparseMatrix<double>;

// Symmetric matrices on the pattern of a clique tree, as vectors of tree.num_entries() values (clique_tree.h). Their
// rows are in the tree's numbering, which differs from that of the graph.

/// A clique's own columns among the values.
inline Eigen::Map<Matrix> block_of(Vector& values, const CliqueTree::Clique& c) {
  return {values.data() + c.entries, c.rows, c.columns};
}
inline Eigen::Map<const Matrix> block_of(const Vector& values, const CliqueTree::Clique& c) {
  return {values.data() + c.entries, c.rows, c.columns};
}
/// The same of a triangular factor, for solves.
inline Supernode supernode_of(const Vector& factor, const CliqueTree::Clique& c) {
  return {c.first, c.columns, c.rows, c.members.data(), factor.data() + c.entries};
}

/// Rows from the graph's numbering into the tree's, and back.
Matrix to_tree(const CliqueTree& tree, const Eigen::Ref<const Matrix>& x);
Matrix from_tree(const CliqueTree& tree, const Eigen::Ref<const Matrix>& x);

/// The values of a sparse matrix in the graph's numbering, both triangles. Throws InputError for an entry that the
/// pattern does not have.
Vector values_on_pattern(const CliqueTree& tree, const SparseMatrix& matrix);
/// The same of a dense one, whose other entries are left out.
Vector values_on_pattern(const CliqueTree& tree, const Matrix& matrix);

/// Whether all values are finite; those above the diagonal of a clique's block, which nobody reads, do not count.
bool is_finite_on_pattern(const CliqueTree& tree, const Vector& values);

/// The diagonal.
Vector chordal_diagonal(const CliqueTree& tree, const Vector& values);

/// A X, rows of X in the tree's numbering.
Matrix chordal_times(const CliqueTree& tree, const Vector& values, const Matrix& x);

/// tr(A B).
double chordal_inner_product(const CliqueTree& tree, const Vector& a, const Vector& b);

}  // namespace varimesh::linalg
