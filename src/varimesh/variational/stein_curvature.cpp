#include "varimesh/variational/stein_curvature.h"

#include <cmath>
#include <limits>

#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/variational/full_covariance.h"
#include "varimesh/variational/low_rank.h"
#include "varimesh/variational/pattern.h"
#include "varimesh/variational/sparse_precision.h"

namespace varimesh::variational {
namespace {

using linalg::CliqueTree;

/// [X Y' + Y X'] / 2 on the pattern, for X and Y in the tree's numbering.
Vector symmetric_product(const CliqueTree& tree, const Matrix& x, const Matrix& y, int threads) {
  // 1/4 [ (a X + Y/a)(a X + Y/a)' - (a X - Y/a)(a X - Y/a)' ], with a that makes both terms alike in size
  const double ratio = x.norm() > 0 && y.norm() > 0 ? std::sqrt(y.norm() / x.norm()) : 1;
  const Matrix sum = (ratio * x + y / ratio).transpose(), difference = (ratio * x - y / ratio).transpose();
  return (linalg::chordal_gram(tree, sum, threads) - linalg::chordal_gram(tree, difference, threads)) / 4;
}

/// R'Q x from R^-1 x, for a q of low rank relative to the prior with root R: (I + U diag(lambda) U') R^-1 x / s^2.
Matrix white_precision_times(const GaussianFamily& q, const Matrix& white_x) {
  const auto& normal = static_cast<const LowRank&>(q).gaussian();
  Matrix inner = linalg::transposed_product(normal.directions(), white_x);
  inner.array().colwise() *= normal.excess().array();
  return (white_x + linalg::product(normal.directions(), inner)) / (normal.scale() * normal.scale());
}

}  // namespace

SteinCurvature::SteinCurvature(const GaussianFamily& q, const inverse::GaussianPrior& prior, const Curvature& start,
                               int threads)
    : prior_(&prior), threads_(threads) {
  const auto* sparse = dynamic_cast<const SparsePrecision*>(&q);
  if (dynamic_cast<const LowRank*>(&q)) {
    const Spectrum spectrum = start.spectrum();
    shape_ = Shape::subspace;
    directions_ = spectrum.directions;
    h_ = spectrum.values.asDiagonal();
    noise_size_ = spectrum.rank() + 1;
    return;
  }
  if (!prior.has_sparse_precision() || dynamic_cast<const FullCovariance*>(&q)) {
    shape_ = Shape::dense;
    const Matrix columns = start.columns();
    h_ = linalg::product(columns, columns.transpose());
    noise_size_ = q.size() + 1;
    return;
  }
  columns_ = start.columns();
  if (sparse) {
    shape_ = Shape::pattern;
    tree_ = sparse->gaussian().shared_tree();
    h_ = Vector::Zero(sparse->gaussian().factor().size());
    noise_size_ = tree_->largest_separator() + 2;
  } else {
    shape_ = Shape::diagonal;
    tree_ = create_pattern(linalg::create_graph(q.size(), {}), 0, PatternKind::graph, prior.sparse_precision());
    h_ = Vector::Zero(q.size());
    noise_size_ = 2;
  }
}

Curvature SteinCurvature::curvature_of(const Matrix& h) const {
  switch (shape_) {
    case Shape::dense:
      return {*prior_, h, threads_};
    case Shape::pattern:
      return {*prior_, tree_, h, columns_, threads_};
    case Shape::subspace: {
      // U h U' = (U V) Lambda (U V)'
      Matrix vectors = h;
      Vector values;
      if (!linalg::eigen_decomposition(vectors, values)) values.setConstant(std::numeric_limits<double>::quiet_NaN());
      return {*prior_, Spectrum{std::make_shared<const Matrix>(linalg::product(*directions_, vectors)), values},
              threads_};
    }
    case Shape::diagonal:
      break;
  }
  inverse::SparseMatrix matrix(h.rows(), h.rows());
  matrix = Vector(h).asDiagonal();
  return {*prior_, tree_, linalg::values_on_pattern(*tree_, matrix), columns_, threads_};
}

Matrix SteinCurvature::excess(const GaussianFamily& q, const Matrix& z, const Matrix& x,
                              const Matrix& gradients) const {
  const auto samples = static_cast<double>(z.cols());
  if (shape_ == Shape::dense) {
    // R^-T sym(mean of z (R' (grad + H x))') R^-1
    Matrix residual = gradients + linalg::product(h_, x);
    q.gaussian().multiply_root_transposed(residual);
    Matrix inner = linalg::product(z, residual.transpose()) / samples;
    inner = (inner + inner.transpose().eval()) / 2;
    q.gaussian().solve_root_transposed(inner);
    inner.transposeInPlace();
    q.gaussian().solve_root_transposed(inner);
    return inner;
  }
  if (shape_ == Shape::subspace) {
    // In coordinates whitened by the prior: sym mean of U'Q x (U'(grad + H x))'
    Matrix white_x = x, white_gradients = gradients;
    prior_->gaussian().solve_root(white_x);
    prior_->gaussian().multiply_root_transposed(white_gradients);
    const Matrix along = linalg::transposed_product(*directions_, white_x);
    const Matrix residual = linalg::transposed_product(*directions_, white_gradients) + h_ * along;
    const Matrix precision = linalg::transposed_product(*directions_, white_precision_times(q, white_x));
    const Matrix inner = linalg::product(precision, residual.transpose()) / samples;
    return (inner + inner.transpose()) / 2;
  }
  Matrix residual = gradients + linalg::product(columns_, linalg::transposed_product(columns_, x));
  if (shape_ == Shape::diagonal) {
    // mean of x_i (grad + H x)_i / sigma_i^2
    residual += Vector(h_).asDiagonal() * x;
    return x.cwiseProduct(residual).rowwise().sum().cwiseQuotient(q.variance()) / samples;
  }
  // Proj [ sym mean of x (Sigma (grad + H x))' ]
  const auto& normal = static_cast<const SparsePrecision&>(q).gaussian();
  const Matrix ordered = linalg::to_tree(*tree_, x);
  residual = linalg::to_tree(*tree_, residual) + linalg::chordal_times(*tree_, h_, ordered);
  linalg::chordal_solve_lower(*tree_, normal.factor(), residual);
  linalg::chordal_solve_upper(*tree_, normal.factor(), residual);
  const Vector g = symmetric_product(*tree_, ordered, residual, threads_) / samples;
  return linalg::chordal_fisher_projection(
      *tree_, normal.factor(), linalg::chordal_selected_inverse(*tree_, normal.factor(), threads_), g, threads_);
}

void SteinCurvature::update(const GaussianFamily& q, const Matrix& z, const Matrix& x, const Matrix& gradients,
                            double scale) {
  const Matrix change = excess(q, z, x, gradients);
  // Of an error E in H, a step rho leaves (1 - rho) E and adds noise rho sqrt(noise / p) E: least at p / (p + noise).
  const auto pairs = static_cast<double>(z.cols()) / 2;
  double rho = scale * pairs / (pairs + noise_size_);
  for (int halvings = 0; halvings < 20; ++halvings, rho /= 2) {
    const Matrix next = h_ - rho * change;
    if (next.allFinite() && curvature_of(next).factorize()) {
      h_ = next;
      return;
    }
  }
}

}  // namespace varimesh::variational
