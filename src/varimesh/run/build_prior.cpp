// build_prior of build.h.
#include <fmt/format.h>

#include "varimesh/error.h"
#include "varimesh/inverse/block_prior.h"
#include "varimesh/inverse/gaussian_mixture_prior.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/mesh/extract.h"
#include "varimesh/run/build.h"
#include "varimesh/run/build_field.h"
#include "varimesh/run/build_kernel.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/build_tensors.h"

namespace varimesh::run {
namespace {

using SharedPrior = std::shared_ptr<const inverse::Prior>;

SharedPrior create_process(const GaussianProcessConfig& config, const Vector& mean, const Equation& equation) {
  const inverse::Kernel kernel = build_kernel(config.kernel, config.sigma, config.length_scale,
                                              config.period.value_or(1), equation.mesh.dimension());
  return std::make_shared<inverse::GaussianProcess>(
      kernel, fem::coefficient_positions(equation.mesh, equation.coefficients), mean, config.jitter);
}

inverse::Anisotropy create_anisotropy(const AnisotropyConfig& config, const mesh::Mesh& mesh) {
  inverse::Anisotropy result{config.region, config.ratio};
  if (!config.region.empty()) mesh.region(config.region);
  require_axis(config, mesh.dimension());
  if (config.angle) result.angle = *config.angle;
  if (config.direction) result.direction = Point(config.direction->data());
  return result;
}

inverse::SpdeSettings create_settings(const SpdePriorConfig& config, const Equation& equation) {
  const mesh::Mesh& mesh = equation.mesh;
  inverse::SpdeSettings settings{config.sigma, config.range, config.order};
  settings.means = build_mean(config.mean, equation);
  for (const AnisotropyConfig& anisotropy : config.anisotropy)
    settings.anisotropy.push_back(at(anisotropy.origin, [&] { return create_anisotropy(anisotropy, mesh); }));
  for (const SpdePriorConfig::Barrier& barrier : config.barriers)
    settings.barriers.push_back(at(barrier.origin, [&] { return mesh.region(barrier.region).name; }));
  return settings;
}

/// The cells that have unknowns, as a mesh of their own.
mesh::Mesh unknown_part(const Equation& equation) {
  std::vector<Index> cells;
  for (Index c = 0; c < equation.mesh.num_cells(); ++c)
    if (!equation.coefficients.is_known(c)) cells.push_back(c);
  return mesh::extract(equation.mesh, cells);
}

SharedPrior create_spde(inverse::SpdeSettings settings, const CoefficientConfig& coefficient, const mesh::Mesh& mesh) {
  using Per = CoefficientConfig::Per;
  if (coefficient.per != Per::cell && coefficient.per != Per::node)
    throw InputError(
        "kind = \"spde\" is a field on cells or nodes: it takes per = \"cell\" or \"node\" in [coefficient], not "
        "blocks "
        "or regions");
  settings.support = coefficient.per == Per::node ? inverse::FieldSupport::nodes : inverse::FieldSupport::cells;
  return std::make_shared<inverse::SpdePrior>(mesh, settings);
}

std::shared_ptr<const inverse::IndependentPrior> create_independent(const IndependentPriorConfig& config,
                                                                    const Equation& equation) {
  return std::make_shared<inverse::IndependentPrior>(build_mean(config.mean, equation),
                                                     build_sigma(config.sigma, equation));
}

SharedPrior create_mixture(const MixturePriorConfig& config, const Equation& equation) {
  Vector weights(std::ssize(config.components));
  std::vector<inverse::GaussianMixturePrior::Component> components;
  for (const auto& [weight, normal] : config.components) {
    weights[std::ssize(components)] = weight;
    components.push_back(create_independent(normal, equation));
  }
  return std::make_shared<inverse::GaussianMixturePrior>(std::move(weights), std::move(components));
}

using SharedNormal = std::shared_ptr<const inverse::GaussianPrior>;

/// A distribution that is one of several normals, each with its weight; one alone is normal.
struct NormalMixture {
  std::vector<double> weights;
  std::vector<SharedNormal> components;
};

NormalMixture as_mixture(const SharedPrior& prior) {
  if (const auto normal = std::dynamic_pointer_cast<const inverse::GaussianPrior>(prior)) return {{1}, {normal}};
  const auto& mixture = dynamic_cast<const inverse::GaussianMixturePrior&>(*prior);
  return {{mixture.weights().begin(), mixture.weights().end()}, mixture.components()};
}

NormalMixture as_mixture(const UnknownConfig& unknown) {
  NormalMixture result;
  for (const auto& [weight, mean, sigma] : unknown.prior.normals) {
    result.weights.push_back(weight);
    result.components.push_back(
        std::make_shared<inverse::IndependentPrior>(Vector::Constant(1, mean), Vector::Constant(1, sigma)));
  }
  return result;
}

/// Of independent groups of unknowns: every combination of their components, each a block of its normal.
SharedPrior join(const std::vector<NormalMixture>& groups, const Origin& origin) {
  constexpr std::size_t most = 1000;
  std::vector<double> weights{1};
  std::vector<std::vector<SharedNormal>> blocks{{}};
  for (const NormalMixture& group : groups) {
    if (blocks.size() * group.components.size() > most)
      throw InputError(
          fmt::format("{}: expected at most {} combinations of components of all mixtures, found more", origin, most));
    std::vector<double> all_weights;
    std::vector<std::vector<SharedNormal>> all_blocks;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      for (std::size_t c = 0; c < group.components.size(); ++c) {
        all_weights.push_back(weights[k] * group.weights[c]);
        all_blocks.push_back(blocks[k]);
        all_blocks.back().push_back(group.components[c]);
      }
    }
    weights = std::move(all_weights);
    blocks = std::move(all_blocks);
  }
  std::vector<SharedNormal> components;
  for (std::vector<SharedNormal>& own : blocks)
    components.push_back(own.size() == 1 ? own.front() : std::make_shared<inverse::BlockPrior>(std::move(own)));
  if (components.size() == 1) return components.front();
  return std::make_shared<inverse::GaussianMixturePrior>(Eigen::Map<const Vector>(weights.data(), std::ssize(weights)),
                                                         std::move(components));
}

SharedPrior build_coefficient_prior(const Config& config, const Problem& problem) {
  const Origin& origin = config.prior->origin;
  const Equation& equation = problem.equation;
  return std::visit(
      Overloaded{
          [&](const GaussianProcessConfig& prior) {
            const Vector mean = build_mean(prior.mean, equation);
            return at(origin, [&] { return create_process(prior, mean, equation); });
          },
          [&](const SpdePriorConfig& prior) {
            // What is wrong with a region names its place.
            const inverse::SpdeSettings settings = create_settings(prior, equation);
            const auto create = [&](const mesh::Mesh& mesh) {
              return at(origin, [&] { return create_spde(settings, config.coefficient, mesh); });
            };
            // Where the conductivity is known, the field ends as at a boundary.
            return config.coefficient.known.empty() ? create(equation.mesh) : create(unknown_part(equation));
          },
          // What is wrong with these names the place of their mean or sigma.
          [&](const IndependentPriorConfig& prior) -> SharedPrior { return create_independent(prior, equation); },
          [&](const MixturePriorConfig& prior) { return create_mixture(prior, equation); }},
      config.prior->value);
}

}  // namespace

std::shared_ptr<const inverse::Prior> build_prior(const Config& config, const Problem& problem) {
  if (!config.prior) return nullptr;
  SharedPrior coefficient = build_coefficient_prior(config, problem);
  if (config.unknowns.empty() && config.source_fields.empty()) return coefficient;
  std::vector<NormalMixture> groups{as_mixture(coefficient)};
  for (std::size_t k = 0; k < config.source_fields.size(); ++k) {
    const FieldProblem field = field_problem(config, problem, k);
    groups.push_back(as_mixture(build_coefficient_prior(field.config, field.problem)));
  }
  for (const UnknownConfig& unknown : config.unknowns) groups.push_back(as_mixture(unknown));
  return join(groups, config.prior->origin);
}

}  // namespace varimesh::run
