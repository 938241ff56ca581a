#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "varimesh/diagnostics/energy.h"
#include "varimesh/mcmc/dual_averaging.h"
#include "varimesh/mcmc/running_covariance.h"
#include "varimesh/mcmc/sampler.h"
#include "varimesh/mcmc/warmup_schedule.h"
#include "varimesh/result/chain_record.h"

namespace varimesh::mcmc {

/// All that a chain needs to go on from where it is, as plain data: what a checkpoint holds.
struct ChainState {
  Index iteration = 0;  ///< transitions done
  Position position;
  double step = 0;
  DualAveraging averaging;
  RunningCovariance covariance;  ///< of the draws of this window of the warm-up
  std::vector<result::WarmupPoint> warmup;
  std::vector<result::ScaleUpdate> scales;  ///< the last is in use
  double acceptance_sum = 0;                ///< after the warm-up, as the rest
  Index divergences = 0;
  diagnostics::EnergyMoments energy;
  result::Counts counts;
  double warmup_seconds = 0, draw_seconds = 0;  ///< of all runs that it was advanced in
};

/// One Markov chain: a kernel, tuned in the warm-up and then frozen. The transition with number i of chain c draws its
/// random numbers from a stream that is a function of (seed, c, i) alone.
class Chain {
 public:
  /// Starts at a point where the posterior is not zero.
  Chain(const inverse::Posterior& posterior, const SamplerOptions& options, std::uint64_t seed, Index chain,
        Vector start);
  /// Goes on from a state. Throws InputError if it is not of this posterior and these options.
  Chain(const inverse::Posterior& posterior, const SamplerOptions& options, std::uint64_t seed, Index chain,
        ChainState state);

  const ChainState& state() const { return state_; }
  bool in_warmup() const { return state_.iteration < options_.num_warmup(); }

  /// One transition. If it is interrupted (cancellation.h), the state is that before it.
  Transition advance();

 private:
  const gaussian::Gaussian& scale() const { return *state_.scales.back().scale; }
  Transition move_on();
  void adapt(const Transition& transition, Random& random);
  void restart_tuning(Random& random);

  SamplerOptions options_;
  std::uint64_t seed_;
  Index chain_;
  Target target_;
  std::unique_ptr<Kernel> kernel_;
  WarmupSchedule schedule_;
  ChainState state_;
  Position before_;  ///< the transition
};

/// Where chain c starts if no starts are given, over-dispersed: twice as far out as the reference's draws, or a draw of
/// the prior. Throws InputError if the model fails at a hundred of them.
Vector draw_start(const inverse::Posterior& posterior, const SamplerOptions& options, std::uint64_t seed, Index chain);

}  // namespace varimesh::mcmc
