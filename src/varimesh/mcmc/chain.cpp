#include "varimesh/mcmc/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/random_streams.h"
#include "varimesh/stopwatch.h"

namespace varimesh::mcmc {
namespace {

/// The stream of random numbers for one transition of one chain.
Random random_of(std::uint64_t seed, Index chain, std::uint64_t iteration) {
  return Random(seed, random_streams::transition(static_cast<std::uint64_t>(chain), iteration));
}

/// No chain gets so far.
constexpr std::uint64_t iteration_of_start = (std::uint64_t{1} << 40) - 1,
                        iteration_of_first_step = iteration_of_start - 1;

void evaluate(Target& target, const Kernel& kernel, Position& position) {
  if (kernel.needs_gradient())
    target.evaluate_with_gradient(position);
  else
    target.evaluate(position);
}

}  // namespace

Chain::Chain(const inverse::Posterior& posterior, const SamplerOptions& options, std::uint64_t seed, Index chain,
             Vector start)
    : options_((require_sound(options, posterior), options)),
      seed_(seed),
      chain_(chain),
      target_(posterior),
      kernel_(create_kernel(options)),
      schedule_(WarmupSchedule::of(options.num_warmup())) {
  if (start.size() != posterior.size())
    throw InputError(fmt::format("expected a start of {} unknowns, found {}", posterior.size(), start.size()));
  state_.position.kappa = std::move(start);
  evaluate(target_, *kernel_, state_.position);
  if (!std::isfinite(state_.position.log_posterior))
    throw InputError(fmt::format("the model cannot be evaluated where chain {} starts", chain));
  state_.scales.push_back({.iteration = 0, .draws = 0, .scale = initial_scale(options, posterior)});
  if (options.learns_scale())
    state_.covariance = RunningCovariance::of(posterior.size(), options.scale, options.pattern);
  Random random = random_of(seed, chain, iteration_of_first_step);
  restart_tuning(random);
  state_.counts = target_.counts();
}

Chain::Chain(const inverse::Posterior& posterior, const SamplerOptions& options, std::uint64_t seed, Index chain,
             ChainState state)
    : options_((require_sound(options, posterior), options)),
      seed_(seed),
      chain_(chain),
      target_(posterior, state.counts),
      kernel_(create_kernel(options)),
      schedule_(WarmupSchedule::of(options.num_warmup())),
      state_(std::move(state)) {
  // Only kappa is believed.
  Target target(posterior);
  Position again{.kappa = state_.position.kappa};
  if (again.kappa.size() == posterior.size()) evaluate(target, *kernel_, again);
  if (again.kappa.size() != posterior.size() || again.log_posterior != state_.position.log_posterior)
    throw InputError(
        fmt::format("chain {} was not stopped on this posterior: its log density there was {}, expected {}", chain,
                    state_.position.log_posterior, again.log_posterior));
  state_.position = std::move(again);
}

void Chain::restart_tuning(Random& random) {
  if (options_.step) {
    state_.step = *options_.step;
    return;
  }
  const double step = kernel_->initial_step(target_, state_.position, scale(), random);
  state_.step = std::min(step, kernel_->max_step());
  state_.averaging = DualAveraging::from(state_.step);
}

Transition Chain::advance() {
  // Where a window of the warm-up ends, all of the state may change while the model is evaluated, else the position.
  const bool window_ends = in_warmup() && std::ranges::binary_search(schedule_.ends, state_.iteration + 1);
  if (window_ends) {
    ChainState before = state_;
    try {
      return move_on();
    } catch (const Interrupted&) {
      state_ = std::move(before);
      throw;
    }
  }
  before_ = state_.position;
  try {
    return move_on();
  } catch (const Interrupted&) {
    state_.position = before_;
    throw;
  }
}

Transition Chain::move_on() {
  const Stopwatch watch;
  Random random = random_of(seed_, chain_, static_cast<std::uint64_t>(state_.iteration));
  const Transition transition = kernel_->move(target_, state_.position, state_.step, scale(), random);
  const bool warmup = in_warmup();
  ++state_.iteration;
  if (warmup) {
    adapt(transition, random);
  } else {
    state_.acceptance_sum += transition.acceptance;
    state_.divergences += transition.divergent ? 1 : 0;
    if (kernel_->needs_gradient()) state_.energy.add(transition.energy);
  }
  state_.counts = target_.counts();
  (warmup ? state_.warmup_seconds : state_.draw_seconds) += watch.seconds();
  return transition;
}

void Chain::adapt(const Transition& transition, Random& random) {
  state_.warmup.push_back({.step = state_.step, .acceptance = transition.acceptance});
  if (!options_.step) {
    const double wanted = options_.target_acceptance.value_or(kernel_->default_acceptance());
    state_.step = state_.averaging.update(wanted, transition.acceptance, kernel_->max_step());
  }
  if (options_.learns_scale() && schedule_.in_window(state_.iteration)) {
    state_.covariance.add(state_.position.kappa);
    if (std::ranges::binary_search(schedule_.ends, state_.iteration)) {
      // A fit is only given up for a scale from many draws.
      const Index draws_per_unknown = options_.reference ? 10 : 2;
      auto learnt = state_.covariance.estimate(draws_per_unknown);
      // While there are too few draws for more, the diagonal is better than nothing.
      if (!learnt && !options_.reference) learnt = state_.covariance.diagonal_estimate();
      if (learnt) {
        state_.scales.push_back(
            {.iteration = state_.iteration, .draws = state_.covariance.count, .scale = std::move(learnt)});
        restart_tuning(random);
      }
      state_.covariance.clear();
    }
  }
  // The step that the last stretch of the warm-up settled on stays.
  if (!in_warmup() && !options_.step && state_.averaging.count > 0) state_.step = state_.averaging.averaged_step();
}

Vector draw_start(const inverse::Posterior& posterior, const SamplerOptions& options, std::uint64_t seed, Index chain) {
  // pCN has no gradient that would lead it back from far out.
  const double spread = options.kernel == KernelKind::pcn ? 1 : 2;
  constexpr int most_trials = 100;
  Random random = random_of(seed, chain, iteration_of_start);
  for (int trial = 0; trial < most_trials; ++trial) {
    throw_if_interrupted();
    Vector kappa;
    if (options.reference)
      kappa = options.reference->mean() + spread * (options.reference->sample(random) - options.reference->mean());
    else
      kappa = posterior.prior().sample(random);
    if (std::isfinite(posterior.likelihood().value(kappa) + posterior.prior().log_density(kappa))) return kappa;
  }
  throw InputError(
      fmt::format("the model cannot be evaluated at any of {} random starts of chain {}", most_trials, chain));
}

}  // namespace varimesh::mcmc
