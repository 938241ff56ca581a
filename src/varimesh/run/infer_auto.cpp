// infer_auto of infer_steps.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "varimesh/cancellation.h"
#include "varimesh/constants.h"
#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/mcmc/chains_summary.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/comparisons.h"
#include "varimesh/run/correct_fit.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/predictions.h"
#include "varimesh/run/reweight.h"
#include "varimesh/run/trust.h"
#include "varimesh/stopwatch.h"

namespace varimesh::run {
namespace {

/// Whether a fit's importance weights make it as good as exact draws, for the field and for every quantity: they, and
/// what each quantity's sd is made of, have a thin tail, and enough draws are left.
bool can_be_made_exact(const result::MethodRecord& fit, const Change& change) {
  constexpr double fewest_draws = 400;
  if (fit.status != result::Status::converged || !(change.khat < diagnostics::usable_khat)) return false;
  const Vector weight = (fit.log_weights.array() - fit.log_weights.maxCoeff()).exp();
  return weight.sum() * weight.sum() / weight.squaredNorm() >= fewest_draws;
}

/// Resamples a fit by its importance weights where these make it as good as exact draws; gives what that changed.
template <class Predict>
std::optional<Change> make_exact(result::MethodRecord& fit, const Predict& predict_from) {
  if (!fit.khat || !(fit.khat->value < diagnostics::proven_khat)) return std::nullopt;
  predict_from(fit);
  if (!can_be_reweighted(fit)) return std::nullopt;
  const Change change = change_by_weights(fit);
  if (!can_be_made_exact(fit, change)) return std::nullopt;
  resample(fit);
  return change;
}

/// Seconds that the chains' warm-up takes, about: trajectories have some 15 steps, each a gradient.
double warmup_seconds(const inverse::Posterior& posterior, const Vector& kappa, const ChainsConfig& settings,
                      int threads) {
  constexpr double steps = 15, warmup = 300;
  const Stopwatch watch;
  Matrix gradient;
  variational::Evaluator(posterior, 1).values_and_gradients(kappa, gradient);
  return watch.seconds() * steps * settings.warmup.value_or(warmup) *
         std::ceil(static_cast<double>(settings.chains) / threads);
}

/// As many draws of each chain as fit into 2 GB.
Index affordable_draws(const ChainsConfig& settings, Index unknowns) {
  constexpr double numbers = 2.5e8;
  return static_cast<Index>(std::clamp(numbers / (static_cast<double>(settings.chains) * unknowns), 250.0, 1e5));
}

/// Whether chains have converged: divergences are reported, but more draws do not mend them. Some unknowns, evenly
/// spread, show soon that they have not; quantities, which cost a solve for each draw, come last.
bool have_converged(const InverseProblem& problem, const mcmc::ChainsResult& chains, int threads) {
  constexpr Index some = 100;
  const Index unknowns = chains.draws.size(), count = chains.draws.num_chains();
  for (Index i = 0; i < unknowns; i += std::max<Index>(1, unknowns / some)) {
    if (!diagnostics::have_converged(diagnostics::diagnose(chains.draws.series(i, 1).front()), count)) return false;
  }
  if (!mcmc::judge(chains, diagnostics::diagnose(chains.draws, threads)).has_converged) return false;
  return std::ranges::all_of(quantities_at(problem, chains.draws, threads).rowwise(), [&](const Vector& values) {
    return is_fixed(values) || !values.allFinite() ||
           diagnostics::have_converged(diagnostics::diagnose(values.reshaped(chains.draws.num_draws(), count)), count);
  });
}

/// Chains until they have converged, or the observer says stop; it sets out_of_time if that is why.
result::MethodRecord sample(const MethodConfig& config, const InverseProblem& problem,
                            const inverse::Posterior& posterior, const result::MethodRecord& fit, Method method,
                            const InferenceOptions& options, const bool& out_of_time,
                            const InferenceObserver& observer) {
  const ChainsConfig& settings = config.chains;
  result::MethodRecord record;
  mcmc::SamplerOptions sampler = at(config.origin, [&] {
    return sampler_options(settings, Method::nuts, chains_scale(settings, posterior, method));
  });
  if (posterior.gaussian_prior()) sampler.reference = scale_of(fit.components.front());
  mcmc::RunOptions run = run_options(config, options);
  run.draws = affordable_draws(settings, posterior.size());
  run.enough = [&](const mcmc::ChainsResult& so_far) { return have_converged(problem, so_far, options.threads); };
  mcmc::ChainsResult chains = at(config.origin, [&] {
    return mcmc::run_chains(posterior, sampler, run, [&](const result::ChainProgress& chain) {
      return !observer || observer({method, "chains", nullptr, &chain, nan, settings.chains});
    });
  });
  record_chains(std::move(chains), settings.chains, out_of_time, options.threads, record);
  return record;
}

/// The chains' answer with what the whole method is called and took.
void take_chains(result::MethodRecord chains, const result::MethodRecord& fit, double fit_seconds, double seconds,
                 result::MethodRecord& record) {
  chains.phases.insert(chains.phases.begin(), {"fit", fit_seconds});
  chains.counts += fit.counts;
  chains.method = record.method;
  chains.name = record.name;
  chains.description = record.description;
  chains.version = record.version;
  chains.seed = record.seed;
  chains.settings = record.settings;
  chains.seconds = seconds;
  record = std::move(chains);
}

/// Weights that prove draws prove them wherever the fit that they began at had come to its end.
void forget_end(result::MethodRecord& draws) {
  if (draws.status == result::Status::converged) return;
  draws.status = result::Status::completed;
  draws.message = "weighted draws, begun at a fit that had ended because: " + draws.message;
  std::erase_if(draws.trust, [](const auto& item) { return item.kind == result::TrustItem::Kind::end; });
}

}  // namespace

AutoChoice::Kind choose_answer(const result::MethodRecord& chains, Index wanted) {
  constexpr double fewest_draws = 50;
  if (!chains.has_answer()) return AutoChoice::unchecked_fit;
  const result::ChainsRecord& found = *chains.chains;
  const double enough = diagnostics::fewest_good_ess_per_chain * wanted;
  const bool converged = found.chains == wanted && found.rhat <= diagnostics::largest_good_rhat &&
                         found.ess_bulk >= enough && found.ess_tail >= enough;
  if (converged && result::worst_level(chains.trust) != result::TrustItem::Level::bad) return AutoChoice::chains;
  const bool usable = found.rhat <= diagnostics::largest_usable_rhat && found.ess_bulk >= fewest_draws;
  return usable ? AutoChoice::short_chains : AutoChoice::unchecked_fit;
}

void infer_auto(const MethodConfig& config, const InverseProblem& problem, const inverse::Posterior& posterior,
                Method method, const InferenceOptions& options, const InferenceObserver& observer,
                result::MethodRecord& record) {
  const Stopwatch watch;
  const double budget = config.budget;
  result::MethodRecord fit = record;
  infer_fit(config, problem, posterior, method, options, observer, fit);
  const double fit_seconds = watch.seconds();
  if (record = fit; !fit.has_answer() || fit.status == result::Status::interrupted) return;
  const auto choose = [&] {
    const auto predict_from = [&](result::MethodRecord& answer) {
      predict(problem, nullptr, options.threads, answer,
              [&](double done) { return !observer || observer({method, "comparison", nullptr, nullptr, done}); });
      throw_if_interrupted();  // else some draws would stand for all
    };
    if (const std::optional<Change> change = make_exact(fit, predict_from)) {
      AutoChoice choice{AutoChoice::proven_fit, budget, fit_seconds};
      choice.draws = fit.num_draws();
      choice.change = *change;
      fit.seconds = watch.seconds();
      record = std::move(fit);
      return judge_choice(choice, record);
    }
    const double needed = warmup_seconds(posterior, fit.kappa.mean, config.chains, options.threads);
    const bool has_time = fit_seconds + needed <= budget;

    // Draws that are not normal may be exact, too, and cost less than chains; else they stand in for the fit where
    // there is no time for these.
    result::MethodRecord corrected = fit;
    bool stopped = false;
    Correction correction = randomize_fit(
        config, posterior, options.threads, budget - watch.seconds(),
        [&](double done) {
          stopped = observer && !observer({method, "draws", nullptr, nullptr, done});
          return !stopped;
        },
        corrected);
    if (stopped) return record_interruption("interrupted before the fit was checked", record);
    fit.counts = corrected.counts;
    fit.phases = corrected.phases;
    const auto* likelihood = posterior.gaussian_likelihood();
    const bool normal_noise = !likelihood || likelihood->observations().has_normal_noise();
    const auto take_corrected = [&](AutoChoice choice) {
      choice.normal_noise = normal_noise;
      if (are_usable(corrected, correction)) {
        resample(corrected);
      } else {
        corrected = fit;
        correction = localize_fit(config, posterior, method, options.threads, corrected);
      }
      choice.correction = correction;
      corrected.seconds = watch.seconds();
      record = std::move(corrected);
      judge_choice(choice, record);
    };
    if (correction.kind == Correction::randomized) {
      predict_from(corrected);
      if (are_exact(corrected, correction)) {
        AutoChoice choice{AutoChoice::proven_draws, budget, fit_seconds};
        choice.draws = corrected.num_draws();
        forget_end(corrected);
        return take_corrected(choice);
      }
    }
    if (!has_time) return take_corrected({AutoChoice::no_time, budget, fit_seconds, needed});

    bool out_of_time = false;
    result::MethodRecord chains =
        sample(config, problem, posterior, fit, method, options, out_of_time, [&](const InferenceProgress& progress) {
          out_of_time = out_of_time || watch.seconds() > budget;
          return !out_of_time && (!observer || observer(progress));
        });
    if (chains.status == result::Status::interrupted) {
      // by the user: what there is, to be resumed
      if (chains.has_answer()) return take_chains(std::move(chains), fit, fit_seconds, watch.seconds(), record);
      return record_interruption(chains.message, record);
    }
    AutoChoice choice{AutoChoice::chains, budget, fit_seconds, watch.seconds() - fit_seconds};
    choice.draws = chains.num_draws();
    choice.normal_noise = normal_noise;
    choice.kind = choose_answer(chains, config.chains.chains);
    if (choice.kind == AutoChoice::unchecked_fit) return take_corrected(choice);
    predict_from(fit);
    predict_from(chains);
    fit.name = "the fit";
    chains.name = "the chains";
    const auto compared = compare_methods({fit, chains}, options.threads);
    if (!compared.empty()) choice.comparison = compared.front().sentence;
    take_chains(std::move(chains), fit, fit_seconds, watch.seconds(), record);
    judge_choice(choice, record);
  };
  if (!completes(choose)) record_interruption("interrupted while the fit was checked", record);
}

}  // namespace varimesh::run
