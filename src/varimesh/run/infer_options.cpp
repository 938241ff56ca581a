// How settings become options, of infer_steps.h, and describe_method of infer.h.
#include <fmt/format.h>

#include "varimesh/error.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/variational/pattern.h"
#include "varimesh/version.h"

namespace varimesh::run {
namespace {

// Nats for each unknown that a fit may be short of the best: as if every sd were off by 1 %, for KL is about the square
// of a relative error.
constexpr double negligible = 1e-4;
constexpr double most_nats_of_low_rank = 0.5;

using variational::FamilyKind;
using variational::Optimizer;

constexpr Index most_dense_unknowns = 1000;       // beyond that low rank is faster than a full matrix
constexpr Index many_unknowns = 20'000;           // beyond that wide neighbourhoods fill the precision matrix up
constexpr Index most_dense_scale_unknowns = 500;  // that a warm-up of usual length can learn

FamilyKind family_of(Method method, Index unknowns) {
  switch (method) {
    case Method::low_rank:
      return FamilyKind::low_rank;
    case Method::pmvb:
      return FamilyKind::sparse_precision;
    case Method::fcvb:
      return FamilyKind::full_covariance;
    case Method::mfvb:
      return FamilyKind::mean_field;
    case Method::mixture:
      return FamilyKind::mixture;
    default:
      return unknowns <= most_dense_unknowns ? FamilyKind::full_covariance : FamilyKind::low_rank;
  }
}

Optimizer optimizer_of(const FitConfig& config, const inverse::Posterior& posterior, Method method) {
  if (method == Method::laplace) return Optimizer::laplace;
  const bool has_natural = method != Method::mixture && posterior.gaussian_prior();
  const bool natural = config.optimizer ? *config.optimizer == FitConfig::Optimizer::natural_gradient : has_natural;
  return natural ? Optimizer::natural_gradient : Optimizer::adam;
}

std::string_view title(Method method) {
  constexpr std::string_view titles[] = {"Auto",    "Low rank", "FCVB", "PMVB", "MFVB",
                                         "Laplace", "Mixture",  "NUTS", "HMC",  "pCN"};
  return titles[static_cast<std::size_t>(method)];
}

std::string_view scale_words(ChainsConfig::Scale scale) {
  constexpr std::string_view words[] = {"scaled by a fit",
                                        "scaled by a fit refined in the warm-up",
                                        "diagonal scale from the warm-up",
                                        "dense scale from the warm-up",
                                        "sparse scale from the warm-up",
                                        "proposals from the prior"};
  return words[static_cast<std::size_t>(scale)];
}

std::string describe_fit(FamilyKind family, Optimizer optimizer, const MethodConfig& config,
                         const InverseProblem& problem) {
  std::string words;
  switch (family) {
    case FamilyKind::sparse_precision:
      words = fmt::format("normal, sparse precision matrix ({}-neighbourhoods)", neighbours(config.fit, problem));
      if (config.fit.rank > 0) words += fmt::format(" plus rank {}", config.fit.rank);
      break;
    case FamilyKind::full_covariance:
      words = "normal, full covariance";
      break;
    case FamilyKind::low_rank:
      words = "normal, full covariance of low rank";
      break;
    case FamilyKind::mean_field:
      words = "independent normals";
      break;
    case FamilyKind::mixture:
      words = fmt::format("equally weighted mixture of {} normals", config.fit.components);
  }
  constexpr std::string_view by[] = {"by natural gradients", "by Adam", "around the most probable field"};
  return words + ", " + std::string(by[static_cast<std::size_t>(optimizer)]);
}

}  // namespace

std::vector<Method> choose_methods(const MethodConfig& config) {
  return config.use.empty() ? std::vector{Method::automatic} : config.use;
}

Index neighbours(const FitConfig& config, const InverseProblem& problem) {
  if (config.neighbours) return *config.neighbours;
  const int dimension = problem.record().mesh.dimension();
  if (dimension == 1) return 10;
  const Index wide = dimension == 2 ? 2 : 1;
  return problem.record().num_unknowns() <= many_unknowns ? wide : wide - 1;
}

variational::FitOptions fit_options(const MethodConfig& config, const InverseProblem& problem,
                                    const inverse::Posterior& posterior, Method method, int threads) {
  const FitConfig& fit = config.fit;
  variational::FitOptions options;
  options.family = family_of(method, posterior.size());
  options.optimizer = optimizer_of(fit, posterior, method);
  if (options.family == FamilyKind::sparse_precision) {
    options.rank = fit.rank;
    const auto kind =
        fit.pattern == FitConfig::Pattern::band ? variational::PatternKind::band : variational::PatternKind::graph;
    const inverse::GaussianPrior* prior = posterior.gaussian_prior();
    options.pattern = at(config.origin, [&] {
      const auto graph = problem.neighbour_graph();
      if (!graph)
        throw InputError(
            "a sparse precision matrix needs to know which unknowns are neighbours, which this problem does "
            "not say: take low_rank or fcvb");
      return variational::create_pattern(*graph, neighbours(fit, problem), kind,
                                         prior ? prior->sparse_precision() : nullptr,
                                         static_cast<Index>(problem.record().scalars.size()));
    });
  }
  // Each costs a solve: fewer where these take long. The ELBO of a good fit varies little from draw to draw.
  options.elbo_samples = std::clamp<Index>(static_cast<Index>(5e6 / posterior.size()), 32, options.elbo_samples);
  options.components = fit.components;
  options.first_derivatives_only = fit.first_derivatives_only;
  options.threads = threads;
  options.seed = config.seed;
  options.adam.learning_rate = fit.learning_rate;
  options.natural_gradient.tolerance = std::max(options.natural_gradient.tolerance, negligible * posterior.size());
  // Low rank differs from the prior in some hundred directions only, however many unknowns there are.
  if (options.family == FamilyKind::low_rank)
    options.natural_gradient.tolerance = std::min(options.natural_gradient.tolerance, most_nats_of_low_rank);
  if (fit.tolerance) options.natural_gradient.tolerance = options.adam.tolerance = *fit.tolerance;
  if (samples_chains(method)) options.natural_gradient.tolerance *= 10;  // enough for a scale
  if (fit.samples) {
    options.natural_gradient.samples = options.adam.samples = *fit.samples;
    options.natural_gradient.max_samples = std::max(options.natural_gradient.max_samples, *fit.samples);
  }
  if (fit.max_iterations) options.natural_gradient.max_iterations = options.adam.max_steps = *fit.max_iterations;
  return options;
}

ChainsConfig::Scale chains_scale(const ChainsConfig& config, const inverse::Posterior& posterior, Method method) {
  using Scale = ChainsConfig::Scale;
  if (config.scale) return *config.scale;
  if (posterior.gaussian_prior() || method == Method::pcn) return Scale::fit;
  return posterior.size() <= most_dense_scale_unknowns ? Scale::dense : Scale::diagonal;
}

result::MethodRecord describe_method(const MethodConfig& config, const InverseProblem& problem,
                                     const inverse::Posterior& posterior, Method method) {
  const MethodConfig& settings = config;
  result::MethodRecord record;
  record.method = name(method);
  record.name = title(method);
  record.version = version();
  record.seed = settings.seed;
  const auto add = [&](const char* key, auto value) { record.settings.push_back({key, value}); };
  const auto add_number = [&](const char* key, auto value) {
    if (value) add(key, static_cast<double>(*value));
  };
  const ChainsConfig::Scale scale = chains_scale(settings.chains, posterior, method);
  const bool fits =
      !samples_chains(method) || scale == ChainsConfig::Scale::fit || scale == ChainsConfig::Scale::refined_fit;
  if (fits) {
    const FitConfig& fit = settings.fit;
    const FamilyKind family = family_of(method, posterior.size());
    const Optimizer optimizer = optimizer_of(fit, posterior, method);
    if (!samples_chains(method)) record.description = describe_fit(family, optimizer, config, problem);
    constexpr const char* optimizers[] = {"natural_gradient", "adam", "laplace"};
    add("fit.optimizer", std::string(optimizers[static_cast<std::size_t>(optimizer)]));
    add_number("fit.tolerance", fit.tolerance);
    add_number("fit.samples", fit.samples);
    add_number("fit.max_iterations", fit.max_iterations);
    if (optimizer == Optimizer::adam) add("fit.learning_rate", fit.learning_rate);
    if (family == FamilyKind::sparse_precision) {
      add("fit.neighbours", static_cast<double>(neighbours(fit, problem)));
      if (fit.rank > 0) add("fit.rank", static_cast<double>(fit.rank));
      add("fit.pattern", std::string(fit.pattern == FitConfig::Pattern::band ? "band" : "graph"));
    }
    if (family == FamilyKind::mixture) add("fit.components", static_cast<double>(fit.components));
    if (fit.first_derivatives_only) add("fit.first_derivatives_only", true);
  }
  if (!samples_chains(method)) add_number("draws", settings.draws);
  if (settings.sensitivity) add("sensitivity", *settings.sensitivity);
  if (method == Method::automatic) {
    record.description =
        "a fit, or weighted draws by optimisation, where proven good, otherwise the No-U-Turn sampler, scaled by the "
        "fit";
    add("budget", settings.budget);
  }
  if (!samples_chains(method) && method != Method::automatic) return record;
  const ChainsConfig& chains = settings.chains;
  constexpr std::string_view kernels[] = {"No-U-Turn sampler", "Hamiltonian Monte Carlo",
                                          "preconditioned Crank-Nicolson"};
  constexpr const char* scales[] = {"fit", "refined_fit", "diagonal", "dense", "sparse", "prior"};
  if (samples_chains(method))
    record.description =
        fmt::format("{}, {}", kernels[static_cast<std::size_t>(method) - static_cast<std::size_t>(Method::nuts)],
                    scale_words(scale));
  add("chains.chains", static_cast<double>(chains.chains));
  if (samples_chains(method)) add("chains.draws", static_cast<double>(chains.draws));
  add("chains.thin", static_cast<double>(chains.thin));
  add_number("chains.warmup", chains.warmup);
  add("chains.scale", std::string(scales[static_cast<std::size_t>(scale)]));
  add_number("chains.step", chains.step);
  add_number("chains.target_acceptance", chains.target_acceptance);
  add_number("chains.leapfrog_steps", chains.leapfrog_steps);
  add_number("chains.max_depth", chains.max_depth);
  return record;
}

}  // namespace varimesh::run
