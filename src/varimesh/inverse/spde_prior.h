#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "varimesh/gaussian/operator_gaussian.h"
#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/mesh/mesh.h"

namespace varimesh::inverse {

/// Where a field has its values: one for each cell, or one for each node, linear (P1, Q1) between them.
enum class FieldSupport { cells, nodes };

/// A region where the range depends on the direction. The geometric mean of the ranges along all axes stays `range`.
struct Anisotropy {
  std::string region = {};          ///< empty: everywhere
  double ratio = 1;                 ///< the range along the long axis over that across it
  double angle = 0;                 ///< in the plane: of the long axis to the x axis, in degrees
  Point direction = Point::Zero();  ///< in space: of the long axis
};

struct SpdeSettings {
  double sigma = 1;  ///< standard deviation, the same everywhere
  double range = 1;  ///< the distance at which the correlation is about 0.14, far from the boundary
  int order = 2;     ///< alpha, from 1 to 4 and above half the dimension; the field is smoother the higher it is
  double mean = 0;
  FieldSupport support = FieldSupport::cells;
  std::vector<Anisotropy> anisotropy = {};  ///< where regions overlap, the last one counts
  std::vector<std::string> barriers = {};   ///< regions that correlation does not cross
  Vector means = Vector(0);                 ///< of each cell or node, instead of `mean`; empty: that one everywhere
};

/// A Matern field on a mesh: the solution of a stochastic equation (Lindgren, Rue, Lindstrom 2011), normalised,
///
///   (1 - div T grad)^(alpha/2) x = white noise,  no flux through the boundary,    kappa = mean + sigma x / sd(x),
///   T = H / k^2,  k = sqrt(8 nu) / range,  nu = alpha - d/2,
///
/// with H = 1, or the unit-determinant tensor of an anisotropic region. Discretised, M = C + S with the volumes C of
/// cells or nodes and the stiffness S (spde_prior_stiffness.h): see gaussian/operator_gaussian.h.
///
/// sd(x) is the exact pointwise standard deviation of the discrete field, so sigma holds in every cell up to the
/// boundary, next to barriers and on coarse meshes. Without it the boundary mirrors the field, and the variance is 2, 4
/// or 8 times as large at sides, edges and corners. Robin conditions instead of no flux leave errors of some percent at
/// sides and more at corners, and depend on order, range and shape; the division is exact for all.
///
/// In a barrier the range is a hundredth (Bakka et al. 2019), so that correlation goes around it, not through.
class SpdePrior final : public GaussianPrior {
 public:
  static constexpr int max_order = gaussian::OperatorGaussian::max_order;

  /// Throws InputError for a sigma, range or ratio that is not positive, an order out of range, a region that the mesh
  /// does not have, anisotropy on a line or without direction in space, or an operator too badly conditioned.
  SpdePrior(const mesh::Mesh& mesh, const SpdeSettings& settings, int threads = 1);

  const gaussian::OperatorGaussian& gaussian() const override { return gaussian_; }
  bool has_sparse_precision() const override { return true; }
  /// Computed when first asked for: it has many more entries than the operator.
  const SparseMatrix* sparse_precision() const override;
  const Matrix* dense_precision() const override { return nullptr; }
  const Vector& precision_diagonal() const override;

 private:
  gaussian::OperatorGaussian gaussian_;
  mutable std::once_flag has_precision_, has_precision_diagonal_;
  mutable SparseMatrix precision_;
  mutable Vector precision_diagonal_;
};

}  // namespace varimesh::inverse
