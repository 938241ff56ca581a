#include "varimesh/variational/fit.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/inverse/gaussian_mixture_prior.h"
#include "varimesh/inverse/prior_moments.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/random_streams.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/add_low_rank.h"
#include "varimesh/variational/full_covariance.h"
#include "varimesh/variational/laplace.h"
#include "varimesh/variational/mean_field.h"
#include "varimesh/variational/mixture.h"
#include "varimesh/variational/natural_families.h"
#include "varimesh/variational/sparse_precision.h"

namespace varimesh::variational {
namespace {

using result::FitStatus;

constexpr Index max_dense_unknowns = 20'000;

/// Seconds by phase.
class Phases {
 public:
  explicit Phases(FitResult& result) : result_(result) {}
  void end(std::string name) {
    result_.seconds.emplace_back(std::move(name), watch_.seconds());
    watch_ = {};
  }

 private:
  FitResult& result_;
  Stopwatch watch_;
};

void require(const inverse::Posterior& posterior, const FitOptions& options) {
  const Index n = posterior.size();
  const bool normal_prior = posterior.gaussian_prior() != nullptr;
  const bool mixture = options.family == FamilyKind::mixture;
  if (options.threads < 1) throw InputError(fmt::format("expected 1 or more threads, found {}", options.threads));
  if (options.elbo_samples < 4)
    throw InputError(fmt::format("expected 4 or more samples for the ELBO, found {}", options.elbo_samples));
  if (options.optimizer != Optimizer::adam && mixture)
    throw InputError("a mixture has no natural gradient or Laplace approximation here: use the optimiser adam");
  if (options.optimizer != Optimizer::adam && !normal_prior)
    throw InputError("natural gradients and the Laplace approximation need a normal prior: use the optimiser adam");
  if (mixture && options.components < 1)
    throw InputError(fmt::format("expected 1 or more components, found {}", options.components));
  if (options.family == FamilyKind::sparse_precision) {
    if (!options.pattern) throw InputError("the sparse precision family needs a pattern");
    if (options.rank > 0 && options.optimizer != Optimizer::natural_gradient)
      throw InputError("a part of low rank beside a sparse precision matrix needs natural gradients");
    if (options.pattern->size() != n)
      throw InputError(fmt::format("the pattern has {} unknowns, but the posterior {}", options.pattern->size(), n));
  }
  if (options.start && (options.start->size() != n || !posterior.gaussian_likelihood()))
    throw InputError(
        fmt::format("a start of {} unknowns is for a forward model of as many, found {}", options.start->size(), n));
  if (options.family == FamilyKind::low_rank && options.optimizer == Optimizer::adam)
    throw InputError("Adam does not fit covariances of low rank: use natural gradients, or full covariance");
  if (options.map.max_iterations < 1)
    throw InputError(
        fmt::format("expected 1 or more iterations for the maximum, found {}", options.map.max_iterations));
  if (!(options.map.tolerance > 0))
    throw InputError(fmt::format("expected a positive tolerance for the maximum, found {}", options.map.tolerance));
  if ((options.family == FamilyKind::full_covariance || mixture) && n > max_dense_unknowns)
    throw InputError(fmt::format("full covariance matrices take at most {} unknowns, found {}: use low rank",
                                 max_dense_unknowns, n));
}

/// Laplace's approximation in the family; null if it fails numerically.
std::unique_ptr<GaussianFamily> laplace(const Vector& kappa, const inverse::Posterior& posterior, Curvature& curvature,
                                        const FitOptions& options) {
  const inverse::GaussianPrior& prior = *posterior.gaussian_prior();
  if (!curvature.factorize()) return nullptr;
  switch (options.family) {
    case FamilyKind::mean_field:
      return laplace_mean_field(kappa, prior, curvature);
    case FamilyKind::full_covariance:
      return laplace_full_covariance(kappa, prior, curvature);
    case FamilyKind::low_rank:
      return laplace_low_rank(kappa, {posterior.shared_prior(), &prior.gaussian()}, curvature);
    default: {
      // As a start for a large problem it need not be exact: the natural gradient goes on.
      const bool rough = options.optimizer == Optimizer::natural_gradient && kappa.size() >= large_problem;
      const double tolerance = (rough ? 100 : 0.1) * options.natural_gradient.tolerance;
      return laplace_sparse_precision(kappa, prior, curvature, options.pattern, tolerance, options.threads);
    }
  }
}

/// Independent normals with the moments of a prior's draws.
gaussian::DiagonalGaussian moments(const inverse::Prior& prior, std::uint64_t seed) {
  Random random(seed, random_streams::fit);
  const inverse::PriorMoments found = inverse::moments_of_draws(prior, 200, random);
  return {found.mean, found.variance.cwiseMax(1e-12).cwiseSqrt()};
}

/// Adam begins at the prior, with half its standard deviations; the components of a mixture at those of a mixture
/// prior, or at draws of the prior.
std::unique_ptr<Family> prior_start(const inverse::Posterior& posterior, const FitOptions& options) {
  constexpr double shrink = 0.5;
  const auto full = [&](const Vector& mean, const gaussian::Gaussian& spread) {
    return std::make_unique<FullCovariance>(gaussian::DenseGaussian(mean, shrink * spread.dense_root()));
  };
  const auto* mixture_prior = dynamic_cast<const inverse::GaussianMixturePrior*>(&posterior.prior());
  std::optional<gaussian::DiagonalGaussian> other;
  if (!posterior.gaussian_prior()) other.emplace(moments(posterior.prior(), options.seed));
  const gaussian::Gaussian& start = other ? *other : posterior.gaussian_prior()->gaussian();
  if (options.family == FamilyKind::mixture) {
    Random random(options.seed, random_streams::fit);
    std::vector<std::unique_ptr<GaussianFamily>> components;
    for (std::size_t k = 0; k < static_cast<std::size_t>(options.components); ++k) {
      if (mixture_prior && k < mixture_prior->components().size()) {
        const gaussian::Gaussian& component = mixture_prior->components()[k]->gaussian();
        components.push_back(full(component.mean(), component));
      } else {
        components.push_back(full(posterior.prior().sample(random), start));
      }
    }
    return std::make_unique<Mixture>(std::move(components));
  }
  switch (options.family) {
    case FamilyKind::full_covariance:
      return full(start.mean(), start);
    case FamilyKind::sparse_precision: {
      // The diagonal of the prior's precision matrix, so that it is on every pattern.
      const Vector precision = start.precision_diagonal();
      const linalg::CliqueTree& tree = *options.pattern;
      inverse::SparseMatrix diagonal(start.size(), start.size());
      diagonal = precision.asDiagonal();
      Vector factor = linalg::values_on_pattern(tree, diagonal).cwiseSqrt() / shrink;
      return std::make_unique<SparsePrecision>(gaussian::SparseGaussian(start.mean(), options.pattern, factor));
    }
    default:
      return std::make_unique<MeanField>(
          gaussian::DiagonalGaussian(start.mean(), shrink * start.variance().cwiseSqrt()));
  }
}

void run_adam(Evaluator& evaluator, const FitOptions& options, const result::FitObserver& observer, FitResult& result) {
  AdamOptions adam_options = options.adam;
  adam_options.seed = options.seed;
  AdamResult fitted = adam(evaluator, prior_start(evaluator.posterior(), options), adam_options, observer);
  result.q = std::move(fitted.q);
  result.status = fitted.status;
  result.message = std::move(fitted.message);
  result.trace = std::move(fitted.trace);
}

/// Natural gradients from a start.
void climb(Evaluator& evaluator, std::unique_ptr<GaussianFamily> start, const Curvature& curvature,
           const FitOptions& options, const result::FitObserver& observer, FitResult& result) {
  NaturalGradientOptions natural_options = options.natural_gradient;
  natural_options.seed = options.seed;
  NaturalGradientResult fitted = natural_gradient(evaluator, std::move(start), curvature, natural_options, observer);
  result.status = fitted.status;
  result.message = std::move(fitted.message);
  result.trace = std::move(fitted.trace);
  const auto* sparse = dynamic_cast<const SparsePrecision*>(fitted.q.get());
  const bool is_usable = result.status != FitStatus::diverged && result.status != FitStatus::interrupted;
  std::unique_ptr<LowRank> sum;
  const auto add_rank = [&] {
    sum = add_low_rank(*sparse, *evaluator.posterior().gaussian_prior(), *fitted.curvature, options.rank);
  };
  if (sparse && options.rank > 0 && fitted.curvature && is_usable && !completes(add_rank)) {
    result.status = FitStatus::interrupted;
    result.message += "; stopped on request before the part of low rank was there";
  }
  result.q = sum ? std::move(sum) : std::move(fitted.q);
}

void run_natural(Evaluator& evaluator, const FitOptions& options, const result::FitObserver& observer, Phases& phases,
                 FitResult& result) {
  if (options.start && options.optimizer == Optimizer::natural_gradient) {
    climb(evaluator, options.start->scaled(1), Curvature(*evaluator.posterior().gaussian_prior(), Matrix(), 1), options,
          observer, result);
    phases.end("natural gradient");
    return;
  }
  MapOptions map_options = options.map;
  if (options.start) map_options.start = options.start->mean();
  // As a start for a large problem it need not be exact: the natural gradient goes on.
  if (options.optimizer == Optimizer::natural_gradient && evaluator.posterior().size() >= large_problem)
    map_options.tolerance = std::max(map_options.tolerance, 0.1 * options.natural_gradient.tolerance);
  MapEstimate map = maximum_a_posteriori(evaluator, map_options, observer);
  phases.end("maximum a posteriori");
  result.message = map.message;
  if (map.interrupted) result.status = FitStatus::interrupted;
  if (map.interrupted || !std::isfinite(map.log_posterior)) return;
  if (!map.curvature) {
    double value = 0;
    Vector gradient;
    map.curvature = curvature_at(evaluator, map.kappa, value, gradient);
  }
  Curvature& curvature = *map.curvature;
  std::unique_ptr<GaussianFamily> start = laplace(map.kappa, evaluator.posterior(), curvature, options);
  phases.end("Laplace");
  if (!start) {
    result.message = "the curvature at the most probable kappa is not numerically positive definite";
    return;
  }
  if (options.optimizer == Optimizer::laplace) {
    result.q = std::move(start);
    throw_if_interrupted();
    result.status = map.converged ? FitStatus::converged : FitStatus::iteration_limit;
    return;
  }
  climb(evaluator, std::move(start), curvature, options, observer, result);
  phases.end("natural gradient");
}

}  // namespace

namespace {

/// The final estimate, of an interrupted fit from few draws; none if there is no time for these, either.
void estimate_final_elbo(Evaluator& evaluator, const FitOptions& options, FitResult& result) {
  const auto estimate = [&](Index samples) {
    Random random(options.seed, random_streams::elbo);
    result.elbo = estimate_elbo(evaluator, *result.q, samples, random);
  };
  if (result.status != FitStatus::interrupted && !completes([&] { estimate(options.elbo_samples); })) {
    result.status = FitStatus::interrupted;
    result.message += "; stopped on request while its ELBO was estimated";
  }
  if (result.status == FitStatus::interrupted) {
    const CancellationScope scope(finishing());
    completes([&] { estimate(4); });
  }
  if (result.elbo.samples > 0 && !std::isfinite(result.elbo.value)) {
    result.message += "; the model fails at draws of the fitted distribution";
    if (result.status == FitStatus::converged) result.status = FitStatus::diverged;
  }
}

}  // namespace

FitResult fit(const inverse::Posterior& posterior, const FitOptions& options, const result::FitObserver& observer) {
  const linalg::OneBlasThread serial;
  const inverse::Posterior used = options.first_derivatives_only ? posterior.as_black_box() : posterior;
  require(used, options);
  FitResult result;
  Phases phases(result);
  Evaluator evaluator(used, options.threads);
  const auto run = [&] {
    if (options.optimizer == Optimizer::adam) {
      run_adam(evaluator, options, observer, result);
      phases.end("Adam");
    } else {
      run_natural(evaluator, options, observer, phases, result);
    }
  };
  if (!completes(run)) {
    result.status = FitStatus::interrupted;
    result.message = result.q ? "stopped on request while Laplace's approximation was improved"
                              : "stopped on request before there was an approximation";
  }
  if (result.q) {
    estimate_final_elbo(evaluator, options, result);
    phases.end("ELBO");
  }
  if (const auto* low_rank = dynamic_cast<const LowRank*>(result.q.get())) result.rank = low_rank->rank();
  result.counts = evaluator.counts();
  return result;
}

}  // namespace varimesh::variational
