#include "varimesh/mcmc/run_progress.h"

#include <algorithm>
#include <cstddef>

namespace varimesh::mcmc {
namespace {

double seconds(RunProgress::Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

double estimate_seconds_left(const std::vector<ChainPace>& chains, int workers) {
  double busy = 0, done = 0;
  for (const ChainPace& chain : chains) {
    busy += chain.seconds;
    done += chain.done;
  }
  if (done == 0) return 0;
  const auto needs = [&](const ChainPace& chain) {
    return chain.left * (chain.done > 0 ? chain.seconds / chain.done : busy / done);
  };
  // A worker takes the next chain when it has finished its own.
  std::vector<double> free_after;
  for (const ChainPace& chain : chains) {
    if (chain.running) free_after.push_back(needs(chain));
  }
  free_after.resize(std::max(free_after.size(), static_cast<std::size_t>(std::max(workers, 1))));
  for (const ChainPace& chain : chains) {
    if (!chain.running) *std::ranges::min_element(free_after) += needs(chain);
  }
  return *std::ranges::max_element(free_after);
}

RunProgress::RunProgress(const result::ChainObserver& observer, Index chains, int workers)
    : observer_(observer), workers_(workers), times_(chains), paces_(chains) {}

void RunProgress::begin(Index chain) {
  times_[chain] = {.begun = Clock::now(), .reported = Clock::now()};
  const std::lock_guard guard(mutex_);
  paces_[chain].running = true;
}

bool RunProgress::is_due(Index chain, Clock::time_point now) const {
  constexpr std::chrono::milliseconds interval(100);
  return observer_ && now - times_[chain].reported >= interval;
}

void RunProgress::report(result::ChainProgress progress) {
  const std::lock_guard guard(mutex_);
  const auto now = Clock::now();
  Times& times = times_[progress.chain];
  ChainPace& pace = paces_[progress.chain];
  const Index left = progress.total - progress.transitions;
  pace.done += pace.left - left;
  pace.left = left;
  pace.running = left > 0;
  pace.seconds = seconds(now - times.begun);
  progress.seconds = seconds(now - begun_);
  progress.seconds_left = estimate_seconds_left(paces_, workers_);
  times.reported = now;
  if (observer_ && !stopped_ && !observer_(progress)) stop();
}

}  // namespace varimesh::mcmc
