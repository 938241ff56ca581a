#pragma once

#include "varimesh/linalg/clique_tree.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

// Dense algebra on the fronts of a clique tree. Matrices on the pattern are vectors of values
// (pattern_values.h). Cliques in disjoint subtrees are worked on by up to `threads` threads; results do not depend on
// their number.

/// Q = L L' for Q on the pattern; L replaces it. False if Q is not numerically positive definite.
bool chordal_cholesky(const CliqueTree& tree, Vector& values, int threads = 1);

/// Q = L L' on the pattern, from L.
Vector chordal_product(const CliqueTree& tree, const Vector& factor, int threads = 1);

/// log det Q, from L.
double chordal_log_determinant(const CliqueTree& tree, const Vector& factor);

/// X <- L^-1 X and X <- L^-T X, rows of X in the tree's numbering.
void chordal_solve_lower(const CliqueTree& tree, const Vector& factor, Eigen::Ref<Matrix> x);
void chordal_solve_upper(const CliqueTree& tree, const Vector& factor, Eigen::Ref<Matrix> x);

/// X <- L X and X <- L' X.
void chordal_multiply_lower(const CliqueTree& tree, const Vector& factor, Eigen::Ref<Matrix> x);
void chordal_multiply_upper(const CliqueTree& tree, const Vector& factor, Eigen::Ref<Matrix> x);

/// The entries of Sigma = Q^-1 on the pattern, from L.
Vector chordal_selected_inverse(const CliqueTree& tree, const Vector& factor, int threads = 1);

/// The B on the pattern with [Sigma B Sigma] = G there: the Fisher projection. From L and Sigma on the pattern.
Vector chordal_fisher_projection(const CliqueTree& tree, const Vector& factor, const Vector& sigma, const Vector& g,
                                 int threads = 1);

/// The entries of Sigma V Sigma on the pattern, for V on the pattern, from L and Sigma on the pattern: minus the
/// derivative of the selected inverse in the direction V, and the inverse of the Fisher projection.
Vector chordal_congruence(const CliqueTree& tree, const Vector& factor, const Vector& sigma, const Vector& v,
                          int threads = 1);

/// The gradient of a function of Q = L L' with respect to the entries of L on the pattern (zero above its diagonal),
/// from its symmetric gradient G on the pattern with respect to Q: dF = sum_ij G_ij dQ_ij over both triangles.
Vector chordal_factor_gradient(const CliqueTree& tree, const Vector& factor, const Vector& g, int threads = 1);

/// L of the Q on the pattern whose inverse agrees with Sigma there: the completion of largest determinant. False if
/// Sigma is not positive definite on some clique.
bool chordal_completion(const CliqueTree& tree, const Vector& sigma, Vector& factor, int threads = 1);

/// W' W on the pattern, for W (r x size) with columns in the tree's numbering.
Vector chordal_gram(const CliqueTree& tree, const Matrix& w, int threads = 1);

}  // namespace varimesh::linalg
