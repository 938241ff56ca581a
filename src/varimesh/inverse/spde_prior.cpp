#include "varimesh/inverse/spde_prior.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "varimesh/error.h"
#include "varimesh/fem/element.h"
#include "varimesh/inverse/spde_prior_stiffness.h"

namespace varimesh::inverse {
namespace {

void check(const SpdeSettings& settings, int dimension) {
  const auto require_positive = [](double value, const char* what) {
    if (!(value > 0 && std::isfinite(value)))
      throw InputError(fmt::format("expected a positive {}, found {}", what, value));
  };
  require_positive(settings.sigma, "sigma");
  require_positive(settings.range, "range");
  if (!std::isfinite(settings.mean)) throw InputError("expected a finite mean");
  const int smallest = dimension / 2 + 1;  // alpha > d/2
  if (settings.order < smallest || settings.order > SpdePrior::max_order)
    throw InputError(fmt::format("expected an order from {} to {}, so that nu = order - {}/2 is positive, found {}",
                                 smallest, SpdePrior::max_order, dimension, settings.order));
  for (const Anisotropy& anisotropy : settings.anisotropy) {
    require_positive(anisotropy.ratio, "ratio of ranges");
    if (dimension == 1) throw InputError("expected no anisotropy on a line, which has one direction only");
    if (dimension == 2 && !std::isfinite(anisotropy.angle)) throw InputError("expected a finite angle of anisotropy");
    if (dimension == 3 && !(anisotropy.direction.norm() > 0 && anisotropy.direction.allFinite()))
      throw InputError("expected a direction of the long axis of anisotropy that is not zero");
  }
}

/// H = b (1 - e e') + b ratio^2 e e' of determinant 1, in as many dimensions, with e the long axis.
Eigen::Matrix3d shape_of(const Anisotropy& anisotropy, int dimension) {
  const double angle = anisotropy.angle * std::numbers::pi / 180;
  const Point axis =
      dimension == 2 ? Point(std::cos(angle), std::sin(angle), 0) : Point(anisotropy.direction.normalized());
  const double across = std::pow(anisotropy.ratio, -2.0 / dimension);
  return across * (Eigen::Matrix3d::Identity() + (anisotropy.ratio * anisotropy.ratio - 1) * axis * axis.transpose());
}

Media create_media(const mesh::Mesh& mesh, const SpdeSettings& settings) {
  // Of the range, in a barrier.
  constexpr double barrier_fraction = 0.01;
  const double nu = settings.order - mesh.dimension() / 2.0;
  // 1 / k^2 = range^2 / (8 nu)
  const double scale = settings.range * settings.range / (8 * nu);
  Media media{{{scale * Eigen::Matrix3d::Identity(), false}}, {}};
  const auto put = [&](const std::string& region, const Medium& medium) {
    const auto number = static_cast<Index>(media.media.size());
    media.media.push_back(medium);
    media.of_cell.resize(static_cast<std::size_t>(mesh.num_cells()), 0);
    if (region.empty()) {
      media.of_cell.assign(media.of_cell.size(), number);
    } else {
      for (const Index c : mesh.region(region).cells) media.of_cell[c] = number;
    }
  };
  for (const Anisotropy& anisotropy : settings.anisotropy)
    put(anisotropy.region, {scale * shape_of(anisotropy, mesh.dimension()), false});
  for (const std::string& barrier : settings.barriers)
    put(mesh.region(barrier).name, {barrier_fraction * barrier_fraction * scale * Eigen::Matrix3d::Identity(), true});
  return media;
}

/// C: the volumes of cells, or int phi_i at nodes.
Vector create_volumes(const mesh::Mesh& mesh, FieldSupport support) {
  if (support == FieldSupport::cells)
    return Vector::NullaryExpr(mesh.num_cells(),
                               [&](Eigen::Index c) { return mesh::signed_measure(mesh, static_cast<Index>(c)); });
  Vector volumes = Vector::Zero(mesh.num_nodes());
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const fem::ElementVector load = fem::element_load(mesh, c, [](const Point&) { return 1.0; });
    const auto nodes = mesh.cell(c);
    for (std::size_t i = 0; i < nodes.size(); ++i) volumes[nodes[i]] += load[static_cast<Eigen::Index>(i)];
  }
  return volumes;
}

gaussian::OperatorGaussian create_gaussian(const mesh::Mesh& mesh, const SpdeSettings& settings, int threads) {
  check(settings, mesh.dimension());
  const Media media = create_media(mesh, settings);
  // M = C + S
  const bool on_cells = settings.support == FieldSupport::cells;
  SparseMatrix m = on_cells ? cell_stiffness(mesh, media) : node_stiffness(mesh, media);
  const Vector c = create_volumes(mesh, settings.support);
  m.diagonal() += c;
  const Vector mean = settings.means.size() > 0 ? settings.means : Vector::Constant(c.size(), settings.mean);
  return {mean, m, c, settings.order, settings.sigma, threads};
}

}  // namespace

SpdePrior::SpdePrior(const mesh::Mesh& mesh, const SpdeSettings& settings, int threads)
    : gaussian_(create_gaussian(mesh, settings, threads)) {}

const SparseMatrix* SpdePrior::sparse_precision() const {
  std::call_once(has_precision_, [&] { precision_ = gaussian_.precision(); });
  return &precision_;
}

const Vector& SpdePrior::precision_diagonal() const {
  std::call_once(has_precision_diagonal_, [&] { precision_diagonal_ = gaussian_.precision_diagonal(); });
  return precision_diagonal_;
}

}  // namespace varimesh::inverse
