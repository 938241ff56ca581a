#include "varimesh/mcmc/run_chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/mcmc/chain_store.h"
#include "varimesh/mcmc/run_directory.h"
#include "varimesh/mcmc/run_progress.h"
#include "varimesh/number_words.h"
#include "varimesh/parallel.h"

namespace varimesh::mcmc {
namespace {

using Clock = RunProgress::Clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void require_sound(const RunOptions& options, const SamplerOptions& sampler, Index unknowns) {
  const auto require = [](bool sound, const char* expected, auto found) {
    if (!sound) throw InputError(fmt::format("expected {}, found {}", expected, found));
  };
  require(options.chains >= 1 && options.chains <= 10'000, "1 to 10000 chains", options.chains);
  require(options.draws >= 0, "0 or more draws", options.draws);
  require(options.thin >= 1, "to keep one of 1 or more transitions", options.thin);
  require(options.threads >= 1, "1 or more threads", options.threads);
  require(options.checkpoint_seconds >= 0, "0 or more seconds between checkpoints", options.checkpoint_seconds);
  const long long total = sampler.num_warmup() + static_cast<long long>(options.draws) * options.thin;
  if (total > std::numeric_limits<Index>::max())
    throw InputError(fmt::format("{} draws with thinning {} take {} transitions, expected at most {}", options.draws,
                                 options.thin, total, std::numeric_limits<Index>::max()));
  if (options.resume && options.directory.empty())
    throw InputError("a run can only be resumed from a directory, but none is given");
  if (options.starts.size() == 0) return;
  if (options.starts.rows() != unknowns || options.starts.cols() != options.chains)
    throw InputError(fmt::format("expected starts of {} unknowns for {} chains, found {} for {}", unknowns,
                                 options.chains, options.starts.rows(), options.starts.cols()));
  if (!options.starts.allFinite()) throw InputError("expected finite starts");
}

void require_memory(const RunOptions& options, Index unknowns) {
  constexpr double most_gigabytes = 16;
  const double gigabytes = 8e-9 * options.chains * options.draws * result::record_length(unknowns);
  if (gigabytes > most_gigabytes)
    throw InputError(fmt::format(
        "{} chains of {} draws would take {:.0f} GB of memory: give a directory for them, or keep fewer by thinning",
        options.chains, options.draws, gigabytes));
}

/// Mean of the acceptance, in the warm-up or after it.
double mean_acceptance(const ChainState& state, bool warmup) {
  if (!warmup) return state.acceptance_sum / (state.iteration - static_cast<Index>(state.warmup.size()));
  double sum = 0;
  for (const auto& point : state.warmup) sum += point.acceptance;
  return sum / static_cast<double>(state.warmup.size());
}

ChainSummary summarize(const ChainState& state) {
  return {.warmup = state.warmup,
          .scales = state.scales,
          .step = state.step,
          .acceptance = mean_acceptance(state, false),
          .divergences = state.divergences,
          .e_bfmi = state.energy.e_bfmi(),
          .counts = state.counts};
}

/// What is kept of the draw that a transition led to.
void fill_record(const Position& position, const Transition& transition, std::vector<double>& record) {
  record.assign(position.kappa.begin(), position.kappa.end());
  for (const double value :
       {position.log_posterior, position.log_likelihood, transition.acceptance, transition.energy,
        static_cast<double>(transition.steps), static_cast<double>(transition.depth), transition.divergent ? 1.0 : 0.0})
    record.push_back(value);
}

/// All chains of a run.
class Runner {
 public:
  Runner(const inverse::Posterior& posterior, const SamplerOptions& sampler, const RunOptions& options,
         const result::ChainObserver& observer)
      : posterior_(posterior),
        sampler_(sampler),
        options_(options),
        progress_(observer, options.chains, std::min(options.threads, options.chains)),
        members_(options.chains) {
    if (!options.directory.empty()) directory_.emplace(options.directory, options.resume);
    for (Index c = 0; c < options.chains; ++c) {
      members_[c].store = create_store(c);
      load(c);
    }
    draws_ = options.enough ? next_look(0) : options.draws;
    for (Index c = 0; c < options.chains; ++c) {
      while (draws_ < records(c)) draws_ = next_look(draws_);
    }
  }

  ChainsResult run() {
    // All chains begin before any goes on: what a resumed run needs to know of each is on the disk from then on.
    if (!completes([&] { parallel_for(options_.chains, options_.threads, [&](Index c) { begin(c); }); })) {
      ChainsResult nothing;
      nothing.message = "stopped before the chains began";
      return nothing;
    }
    for (;; draws_ = next_look(draws_)) {
      for (Index c = 0; c < options_.chains; ++c)
        progress_.expect(c, std::max(0, total() - members_[c].chain->state().iteration));
      const auto advance_all = [&] {
        parallel_for(options_.chains, options_.threads, [&](Index c) {
          try {
            if (!progress_.stopped()) run(c);
          } catch (...) {
            progress_.stop();
            throw;
          }
        });
      };
      if (!completes(advance_all)) progress_.stop();
      const bool last = progress_.stopped() || draws_ >= options_.draws;
      ChainsResult result = gather(last);
      bool enough = last;
      if (!last && !completes([&] { enough = options_.enough(result); })) {
        // They are complete up to here, but not known to be enough.
        result.status = RunStatus::interrupted;
        result.message += ", stopped while they were judged";
        enough = true;
      }
      if (enough) return result;
    }
  }

 private:
  struct Member {
    std::unique_ptr<ChainStore> store;
    std::optional<ChainState> state;  ///< where it was left; none if it has not begun
    std::unique_ptr<Chain> chain;
  };

  /// Of each chain, up to the next look at them.
  Index total() const { return sampler_.num_warmup() + draws_ * options_.thin; }

  /// After how many draws one looks whether they are enough.
  Index next_look(Index draws) const {
    constexpr Index least = 250;
    return std::min(options_.draws, draws + std::max(least, draws / 4));
  }

  /// Draws of a chain that are there already.
  Index records(Index c) const {
    const auto& state = members_[c].state;
    return state ? std::max(0, state->iteration - sampler_.num_warmup()) / options_.thin : 0;
  }

  std::unique_ptr<ChainStore> create_store(Index c) const {
    if (!directory_)
      return create_memory_store(static_cast<std::size_t>(options_.draws) * result::record_length(posterior_.size()));
    return create_file_store(
        directory_->draws(c),
        CheckpointFile(directory_->checkpoint(c), posterior_, sampler_, options_.seed, c, options_.thin),
        {.unknowns = posterior_.size(), .seed = options_.seed, .chain = c},
        options_.checkpoint_seconds >= 1 ? Durable::yes : Durable::no);
  }

  void load(Index c) {
    Member& member = members_[c];
    auto checkpoint = member.store->load();
    if (!checkpoint) return;
    if (checkpoint->records > options_.draws)
      throw InputError(fmt::format("{} holds {} draws of chain {}, more than the {} asked for",
                                   options_.directory.string(), checkpoint->records, c, options_.draws));
    member.state = std::move(checkpoint->state);
  }

  void begin(Index c) {
    Member& member = members_[c];
    if (member.state)
      member.chain = std::make_unique<Chain>(posterior_, sampler_, options_.seed, c, std::move(*member.state));
    else
      member.chain = std::make_unique<Chain>(posterior_, sampler_, options_.seed, c, start(c));
    member.store->open(member.chain->state());
  }

  Vector start(Index c) const {
    if (options_.starts.size() > 0) return options_.starts.col(c);
    return draw_start(posterior_, sampler_, options_.seed, c);
  }

  /// Its state is saved when it is interrupted, too.
  void run(Index c) {
    progress_.begin(c);
    const bool completed = completes([&] { advance(c, *members_[c].chain); });
    members_[c].store->save(members_[c].chain->state());
    if (!completed) throw Interrupted();
  }

  /// To its end, or until all are to stop.
  void advance(Index c, Chain& chain) {
    Member& member = members_[c];
    std::vector<double> record;
    Clock::time_point saved = Clock::now();
    while (chain.state().iteration < total() && !progress_.stopped()) {
      const bool warmup = chain.in_warmup();
      const Transition transition = chain.advance();
      const Index iteration = chain.state().iteration;
      if (!warmup && (iteration - sampler_.num_warmup()) % options_.thin == 0) {
        fill_record(chain.state().position, transition, record);
        member.store->append(record);
      }
      const Clock::time_point now = Clock::now();
      if (std::chrono::duration<double>(now - saved).count() >= options_.checkpoint_seconds) {
        member.store->save(chain.state());
        saved = now;
      }
      if (progress_.is_due(c, now) || warmup != chain.in_warmup() || iteration == total())
        report(c, chain.state(), warmup);
    }
  }

  void report(Index c, const ChainState& state, bool warmup) {
    progress_.report({.chain = c,
                      .transitions = state.iteration,
                      .total = total(),
                      .warmup = warmup,
                      .acceptance = mean_acceptance(state, warmup),
                      .step = state.step,
                      .divergences = state.divergences});
  }

  ChainsResult gather(bool last) {
    ChainsResult result;
    std::vector<std::shared_ptr<const result::ChainDraws>> draws;
    double warmup_seconds = 0, draw_seconds = 0;
    bool complete = true;
    for (Member& member : members_) {
      const ChainState& state = member.chain->state();
      complete = complete && state.iteration >= total();
      warmup_seconds += state.warmup_seconds;
      draw_seconds += state.draw_seconds;
      result.counts += state.counts;
      result.chains.push_back(summarize(state));
      draws.push_back(member.store->draws(last));
    }
    result.draws = result::Draws(posterior_.size(), std::move(draws));
    if (complete) {
      result.status = RunStatus::completed;
      result.message = fmt::format("{} of {}", counted(options_.chains, "chain"), counted(draws_, "draw"));
    } else {
      result.message =
          fmt::format("stopped when {} had {} of {}",
                      options_.chains == 1 ? "its chain" : fmt::format("the shortest of {} chains", options_.chains),
                      result.draws.num_draws(), counted(draws_, "draw"));
    }
    result.seconds = {{"warm-up", warmup_seconds}, {"draws", draw_seconds}, {"total", seconds_since(begun_)}};
    return result;
  }

  const inverse::Posterior& posterior_;
  const SamplerOptions& sampler_;
  const RunOptions& options_;
  const Clock::time_point begun_ = Clock::now();
  RunProgress progress_;
  std::optional<RunDirectory> directory_;
  std::vector<Member> members_;
  Index draws_ = 0;  ///< of each chain, up to the next look at them
};

}  // namespace

ChainsResult run_chains(const inverse::Posterior& posterior, const SamplerOptions& sampler, const RunOptions& options,
                        const result::ChainObserver& observer) {
  require_sound(sampler, posterior);
  require_sound(options, sampler, posterior.size());
  if (options.directory.empty()) require_memory(options, posterior.size());
  const linalg::OneBlasThread serial;
  return Runner(posterior, sampler, options, observer).run();
}

}  // namespace varimesh::mcmc
