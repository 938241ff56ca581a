#include "varimesh/run/size_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "varimesh/error.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/number_words.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/memory.h"

namespace varimesh::run {
namespace {

/// How many cells and nodes a mesh is going to have; none if only making it can tell.
struct Counts {
  double cells = 0, nodes = 0;
};

/// Of each cell of the grid that is cut into several.
double cells_each(mesh::CellType type) {
  return type == mesh::CellType::triangle ? 2 : type == mesh::CellType::tetrahedron ? 6 : 1;
}

Counts count(const MeshConfig& mesh) {
  return std::visit(Overloaded{[](const IntervalMesh& m) -> Counts { return {1.0 * m.cells, m.cells + 1.0}; },
                               [](const RectangleMesh& m) -> Counts {
                                 return {cells_each(m.cell_type) * m.cells[0] * m.cells[1],
                                         (m.cells[0] + 1.0) * (m.cells[1] + 1.0)};
                               },
                               [](const BoxMesh& m) -> Counts {
                                 return {cells_each(m.cell_type) * m.cells[0] * m.cells[1] * m.cells[2],
                                         (m.cells[0] + 1.0) * (m.cells[1] + 1.0) * (m.cells[2] + 1.0)};
                               },
                               [](const auto&) -> Counts { return {}; }},
                    mesh.shape);
}

}  // namespace

void require_mesh_size(const Config& config) {
  // 50 million cells took 9 GB until the prior refused them.
  constexpr double bytes_per_cell = 180;
  const double cells = count(config.mesh).cells;
  at(config.mesh.origin, [&] { require_memory(bytes_per_cell * cells, available_bytes(), "the mesh"); });
}

void require_prior_size(const Config& config) {
  if (!config.prior || !std::holds_alternative<GaussianProcessConfig>(config.prior->value)) return;
  const Counts counts = count(config.mesh);
  using Per = CoefficientConfig::Per;
  const double unknowns = config.coefficient.per == Per::cell   ? counts.cells
                          : config.coefficient.per == Per::node ? counts.nodes
                                                                : 0;
  if (unknowns > inverse::GaussianProcess::max_points)
    throw InputError(
        fmt::format("{}: a Gaussian process is dense and takes at most {} unknowns, found {:.0f}: take the prior of "
                    "kind 'spde', or group cells into blocks",
                    config.prior->origin, inverse::GaussianProcess::max_points, unknowns));
}

void require_prediction_size(const MethodConfig& config, const InverseProblem& problem, Method method) {
  // Predictions of every draw, what they say of each sensor without its own measurements, and what is written of them.
  constexpr double copies = 3;
  const ChainsConfig& chains = config.chains;
  const Index sensors = problem.record().num_sensors();
  const double of_chains = static_cast<double>(chains.chains) * chains.draws,
               of_fits = num_draws(config, std::max(problem.record().num_unknowns(), sensors));
  const double draws = method == Method::automatic ? std::max(of_chains, of_fits)
                       : samples_chains(method)    ? of_chains
                                                   : of_fits;
  const double numbers = draws * (copies * sensors + static_cast<double>(problem.record().quantities.size()));
  const double needed = sizeof(double) * numbers, available = available_bytes();
  if (needed > available)
    at(config.origin, [&] {
      throw InputError(
          fmt::format("predictions of {} for {:.0f} draws need about {:.1f} GB of memory, of which {:.1f} GB are "
                      "available: take fewer draws, or fewer sensors",
                      counted(sensors, "sensor"), draws, needed / 1e9, available / 1e9));
    });
}

}  // namespace varimesh::run
