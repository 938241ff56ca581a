#include "varimesh/run/coarse_start.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/mesh/decimate.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/reference_cell.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/measurements.h"
#include "varimesh/run/snap_sensors.h"
#include "varimesh/variational/transfer.h"

namespace varimesh::run {
namespace {

constexpr Index worth_coarsening = 20'000;  // below that a fit takes seconds anyway
constexpr double coarse_unknowns = 5000;

/// The same mesh with `factor` times as many cells along each axis; false if it is not generated cell by cell.
bool coarsen(MeshConfig& mesh, double factor) {
  const auto fewer = [&](Index& cells) { cells = std::max<Index>(2, static_cast<Index>(std::lround(factor * cells))); };
  if (auto* interval = std::get_if<IntervalMesh>(&mesh.shape)) {
    fewer(interval->cells);
  } else if (auto* rectangle = std::get_if<RectangleMesh>(&mesh.shape)) {
    std::ranges::for_each(rectangle->cells, fewer);
  } else if (auto* box = std::get_if<BoxMesh>(&mesh.shape)) {
    std::ranges::for_each(box->cells, fewer);
  } else {
    return false;
  }
  return true;
}

/// Makes a coarser mesh; none if this one cannot be made.
using MakeMesh = std::function<std::optional<mesh::Mesh>()>;

/// Coarser meshes, the coarsest first: those that the problem file names; else one of some 5,000 unknowns, generated
/// as the problem's own was, or the problem's own with most of its nodes left out.
std::vector<MakeMesh> coarser(const Config& config, const Problem& problem) {
  std::vector<MakeMesh> levels;
  const auto* gmsh = std::get_if<GmshMesh>(&config.mesh.shape);
  if (gmsh && !gmsh->coarse.empty()) {
    for (const InputFile& file : gmsh->coarse) {
      require_file(file, gmsh->origin);
      MeshConfig level = config.mesh;
      std::get<GmshMesh>(level.shape) = {gmsh->origin, file, {}, gmsh->corners_only};
      levels.emplace_back([level] { return build_mesh(level); });
    }
    return levels;
  }
  if (problem.num_unknowns() <= worth_coarsening) return levels;
  const double share = coarse_unknowns / problem.num_unknowns();
  MeshConfig level = config.mesh;
  if (coarsen(level, std::pow(share, 1.0 / problem.equation.mesh.dimension()))) {
    levels.emplace_back([level] { return build_mesh(level); });
  } else {
    const mesh::Mesh& fine = problem.equation.mesh;
    levels.emplace_back(
        [&fine, share] { return mesh::decimate(fine, static_cast<Index>(std::lround(share * fine.num_cells()))); });
  }
  return levels;
}

/// A of variational/transfer.h: with the interpolation P from coarse to fine unknowns and the fine unknowns' volumes V,
/// A = W^-1 P'V, W the row sums.
inverse::SparseMatrix averages(const Equation& coarse, const Equation& fine) {
  const mesh::PointLocator locator(coarse.mesh);
  const std::vector<Point> positions = fem::coefficient_positions(fine.mesh, fine.coefficients);
  const Vector volume = fem::coefficient_volumes(fine.mesh, fine.coefficients);
  std::vector<Eigen::Triplet<double>> entries;
  Vector sums = Vector::Zero(coarse.coefficients.num_coefficients);
  for (Index i = 0; i < static_cast<Index>(positions.size()); ++i) {
    const auto location = locator.find(positions[static_cast<std::size_t>(i)]);
    if (!location) continue;  // near a curved boundary
    const auto add = [&](Index unknown, double share) {
      entries.emplace_back(unknown, i, share * volume[i]);
      sums[unknown] += share * volume[i];
    };
    if (!coarse.coefficients.on_nodes()) {
      if (!coarse.coefficients.is_known(location->cell)) add(coarse.coefficients.of_cell[location->cell], 1);
      continue;
    }
    const auto nodes = coarse.mesh.cell(location->cell);
    const auto shares = mesh::shape_values(coarse.mesh.cell_type, location->reference);
    for (std::size_t a = 0; a < nodes.size(); ++a) add(nodes[a], shares[static_cast<Eigen::Index>(a)]);
  }
  for (auto& entry : entries) entry = {entry.row(), entry.col(), entry.value() / sums[entry.row()]};
  inverse::SparseMatrix result(coarse.coefficients.num_coefficients, fine.coefficients.num_coefficients);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

/// One level: its equation, and the posterior of the same data.
struct CoarseLevel {
  Problem problem;
  inverse::Posterior posterior;
};

/// None without such a mesh. Sensors and data are those of the problem, read once.
std::optional<CoarseLevel> build_coarse_level(const Config& config, const Problem& fine, const MakeMesh& make_mesh) {
  std::optional<mesh::Mesh> mesh = make_mesh();
  if (!mesh) return std::nullopt;
  Problem problem;
  problem.equation = build_equation(config, *std::move(mesh));
  Sensors sensors = *fine.sensors;
  sensors.nodes.clear();  // other nodes
  // A coarser mesh leaves out what is beyond its sides.
  snap_sensors(problem.equation.mesh, std::nullopt, sensors);
  problem.model = build_model(sensors, problem.equation);
  auto likelihood = std::make_shared<inverse::GaussianLikelihood>(problem.model, *fine.observations);
  auto prior = build_prior(config, problem);
  return CoarseLevel{std::move(problem), inverse::Posterior(std::move(likelihood), std::move(prior))};
}

/// Whether the prior means the same on another mesh.
bool can_coarsen(const Config& config, const Problem& problem) {
  const bool field =
      config.coefficient.per == CoefficientConfig::Per::cell || config.coefficient.per == CoefficientConfig::Per::node;
  return field && config.unknowns.empty() && config.source_fields.empty() && config.prior && problem.sensors &&
         problem.observations &&
         (std::holds_alternative<SpdePriorConfig>(config.prior->value) ||
          std::holds_alternative<GaussianProcessConfig>(config.prior->value));
}

std::unique_ptr<variational::LowRank> carry_over(const variational::GaussianFamily& q, const Equation& coarse,
                                                 const Equation& fine, const inverse::Posterior& posterior,
                                                 int threads) {
  const auto& normal = dynamic_cast<const variational::LowRank&>(q).gaussian();
  const inverse::GaussianPrior& prior = *posterior.gaussian_prior();
  return variational::transfer(normal, averages(coarse, fine), {posterior.shared_prior(), &prior.gaussian()}, prior,
                               threads);
}

}  // namespace

CoarseStart fit_coarse(const Config& config, const Problem& problem, const inverse::Posterior& posterior,
                       const variational::FitOptions& options, const result::FitObserver& observer) {
  CoarseStart result;
  if (!can_coarsen(config, problem)) return result;
  variational::FitOptions coarse_options = options;
  coarse_options.optimizer = variational::Optimizer::natural_gradient;
  coarse_options.elbo_samples = 4;
  std::optional<CoarseLevel> last;
  for (const MakeMesh& make_mesh : coarser(config, problem)) {
    std::optional<CoarseLevel> level;
    try {
      level = build_coarse_level(config, problem, make_mesh);
    } catch (const InputError&) {
      level.reset();  // a sensor far outside the coarser mesh, say: begin without it
    }
    if (!level) continue;
    if (result.q)
      coarse_options.start =
          carry_over(*result.q, last->problem.equation, level->problem.equation, level->posterior, options.threads);
    variational::FitResult fit = variational::fit(level->posterior, coarse_options, observer);
    if (fit.status == result::FitStatus::interrupted || fit.status == result::FitStatus::diverged || !fit.q) return {};
    result.q =
        std::shared_ptr<const variational::GaussianFamily>(static_cast<variational::GaussianFamily*>(fit.q.release()));
    result.unknowns = level->posterior.size();
    result.counts += fit.counts;
    last = std::move(level);
  }
  if (result.q) result.q = carry_over(*result.q, last->problem.equation, problem.equation, posterior, options.threads);
  return result;
}

}  // namespace varimesh::run
