#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "varimesh/result/chain_record.h"
#include "varimesh/types.h"

namespace varimesh::mcmc {

/// How far a chain is in a run.
struct ChainPace {
  Index left = 0;      ///< transitions
  Index done = 0;      ///< transitions, in this run
  double seconds = 0;  ///< that these took
  bool running = false;
};

/// Until all chains are done by so many workers, if those that have not begun go as fast as the others on average.
double estimate_seconds_left(const std::vector<ChainPace>& chains, int workers);

/// Tells an observer about several chains, and chains whether they are to stop. Safe to call from many threads.
class RunProgress {
 public:
  using Clock = std::chrono::steady_clock;

  /// The observer must outlive it.
  RunProgress(const result::ChainObserver& observer, Index chains, int workers);

  bool stopped() const { return stopped_; }
  /// All chains stop after their current transition.
  void stop() { stopped_ = true; }

  /// How much there is to do for a chain, told before all chains begin or go on.
  void expect(Index chain, Index transitions) { paces_[chain] = {.left = transitions}; }
  void begin(Index chain);
  /// Whether the observer has not heard of this chain for a tenth of a second; for the chain's own thread.
  bool is_due(Index chain, Clock::time_point now) const;
  /// Calls the observer, unless chains are to stop already; it adds the times to what the chain knows.
  void report(result::ChainProgress progress);

 private:
  struct Times {
    Clock::time_point begun, reported;
  };

  const result::ChainObserver& observer_;
  int workers_;
  const Clock::time_point begun_ = Clock::now();
  std::atomic<bool> stopped_ = false;
  std::vector<Times> times_;  ///< each of its chain's thread
  std::mutex mutex_;          ///< of what follows, and of the observer
  std::vector<ChainPace> paces_;
};

}  // namespace varimesh::mcmc
