#include "varimesh/run/correct_fit.h"

#include <algorithm>
#include <cmath>

#include "varimesh/run/infer_steps.h"
#include "varimesh/run/memory.h"
#include "varimesh/run/reweight.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/laplace.h"
#include "varimesh/variational/randomize_then_optimize.h"

namespace varimesh::run {
namespace {

constexpr double enough_draws = 400;      // that are effective: what chains need
constexpr double fewest_corrected = 100;  // with which sds are known to 7 %

/// What was found about a distribution that is no longer the answer.
void forget_distribution(result::MethodRecord& record) {
  std::erase_if(record.trust, [](const result::TrustItem& item) {
    return item.kind == result::TrustItem::Kind::approximation || item.kind == result::TrustItem::Kind::solvability;
  });
  record.components.clear();
  record.elbo.reset();
}

}  // namespace

Correction randomize_fit(const MethodConfig& config, const inverse::Posterior& posterior, int threads, double seconds,
                         const std::function<bool(double done)>& proceed, result::MethodRecord& fit) {
  constexpr double most_numbers = 4e7;  // 320 MB, in memory and in files
  constexpr Index worthwhile = 250;     // draws, of which the weights leave 100, as a rule
  const inverse::GaussianLikelihood* likelihood = posterior.gaussian_likelihood();
  if (!likelihood || !likelihood->observations().has_normal_noise() || !posterior.gaussian_prior() ||
      config.fit.first_derivatives_only)
    return {};
  variational::RandomizeOptions options;
  const auto most = static_cast<Index>(std::min(most_numbers / posterior.size(), 1e6));
  options.draws = config.draws.value_or(std::min<Index>(1000, most));
  options.most_draws = std::clamp(most, options.draws, 4 * options.draws);
  options.pilot = options.draws / 5;
  options.effective = 5 * enough_draws;  // of the field; of quantities there are fewer
  options.seed = config.seed;
  const Stopwatch watch;
  bool stopped = false;
  options.proceed = [&](Index done) {
    stopped = !proceed(static_cast<double>(done) / (options.pilot + options.most_draws));
    const double each = done > 0 ? watch.seconds() / done : 0;
    return !stopped && watch.seconds() < seconds && each * (worthwhile + options.pilot) < seconds;
  };
  // Directions twice, and draws while they are gathered and copied.
  const double columns = 2.0 * likelihood->model().num_predictions() + 3.0 * options.most_draws;
  if (most < worthwhile || 8 * columns * posterior.size() > available_bytes()) return {};

  variational::Evaluator evaluator(posterior, threads);
  const variational::RandomizedDraws found = randomize_then_optimize(evaluator, fit.kappa.mean, options);
  fit.phases.emplace_back("draws by optimisation", watch.seconds());
  fit.counts += evaluator.counts();
  fit.counts += found.counts;
  const Matrix& draws = found.check.draws;
  if (stopped || draws.cols() == 0) return {};
  forget_distribution(fit);
  record_weighted_draws(found.check, fit);
  fit.kappa.mean = draws.rowwise().mean();
  fit.kappa.sd = ((draws.colwise() - fit.kappa.mean).rowwise().squaredNorm() / draws.cols()).cwiseSqrt();
  return {Correction::randomized, static_cast<Index>(draws.cols()),      found.directions, found.check.failures,
          found.check.psis.khat,  found.check.psis.effective_sample_size};
}

bool are_exact(const result::MethodRecord& randomized, Correction& correction) {
  if (!can_be_reweighted(randomized)) return false;
  for (Eigen::Index q = 0; q < randomized.quantity_draws.rows(); ++q) {
    if (randomized.quantities[static_cast<std::size_t>(q)].density.size() == 0) continue;
    correction.effective =
        std::min(correction.effective, effective_draws(randomized.quantity_draws.row(q), randomized.log_weights));
  }
  // A draw for which there is no solution is a region that may be missing.
  return correction.khat < diagnostics::usable_khat && correction.effective >= enough_draws &&
         correction.failures <= correction.draws / 1000;
}

bool are_usable(const result::MethodRecord& randomized, const Correction& correction) {
  return correction.kind == Correction::randomized && correction.khat < randomized.khat->threshold &&
         correction.effective >= fewest_corrected;
}

Correction localize_fit(const MethodConfig& config, const inverse::Posterior& posterior, Method method, int threads,
                        result::MethodRecord& fit) {
  const inverse::GaussianPrior* prior = posterior.gaussian_prior();
  if (!prior) return {};
  const Stopwatch watch;
  variational::Evaluator evaluator(posterior, threads);
  double value = 0;
  Vector gradient;
  const variational::Curvature curvature = curvature_at(evaluator, fit.kappa.mean, value, gradient);
  if (!std::isfinite(value)) return {};
  const std::shared_ptr<const variational::Family> q =
      laplace_low_rank(fit.kappa.mean, {posterior.shared_prior(), &prior->gaussian()}, curvature);
  if (!q) return {};
  fit.phases.emplace_back("covariance at the mean", watch.seconds());
  forget_distribution(fit);
  const Index draws = num_draws(config, numbers_each(posterior));
  record_distribution(q, evaluator, draws, fit.draws.num_draws(), method, config.seed, fit);
  fit.counts += evaluator.counts();
  return {.kind = Correction::local};
}

}  // namespace varimesh::run
