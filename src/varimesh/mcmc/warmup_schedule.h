#pragma once

#include <vector>

#include "varimesh/types.h"

namespace varimesh::mcmc {

/// When a chain that learns its scale takes up a new one: at the ends of windows that double in length, as Stan does
/// it. Before the first window the chain finds the bulk of the target, after the last it tunes its step.
struct WarmupSchedule {
  Index first = 0;          ///< transition that opens the first window
  std::vector<Index> ends;  ///< transitions after which windows close, ascending

  static WarmupSchedule of(Index warmup) {
    // 75 transitions, windows of 25, 50, 100, ..., then 50; one window in the middle if there are fewer than 150, and
    // none if there are too few to tune a step after it.
    const bool few = warmup < 150;
    const Index last = few ? warmup - warmup / 3 : warmup - 50;
    WarmupSchedule schedule;
    schedule.first = few ? warmup / 6 : 75;
    if (warmup < 20) return schedule;
    Index end = schedule.first;
    for (Index length = few ? last - schedule.first : 25; end < last; length *= 2) {
      // A window that the next one would not fit behind takes all that is left.
      end = (last - end) / 3 < length ? last : end + length;
      schedule.ends.push_back(end);
    }
    return schedule;
  }

  bool in_window(Index iteration) const { return !ends.empty() && iteration > first && iteration <= ends.back(); }
};

}  // namespace varimesh::mcmc
