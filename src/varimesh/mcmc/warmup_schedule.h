#pragma once

#include <vector>

#include "varimesh/types.h"

namespace varimesh::mcmc {

/// When a chain that learns its scale takes up a new one: at the ends of windows that double in length, as Stan does
/// it. Before the first window the chain finds the bulk of the target, after the last it tunes its step.
struct WarmupSchedule {
  Index first = 0;            ///< transition that opens the first window
  std::vector<Index> ends{};  ///< transitions after which windows close, ascending

  static WarmupSchedule of(Index warmup) {
    // 75 transitions, windows of 25, 50, 100, ..., then 50; in proportion 15, 75 and 10 % if there are fewer than 150.
    const bool few = warmup < 150;
    const Index last = few ? warmup - warmup / 10 : warmup - 50;
    WarmupSchedule schedule{.first = few ? warmup * 15 / 100 : 75};
    Index end = schedule.first;
    for (Index length = few ? last - schedule.first : 25; end < last; length *= 2) {
      end += length;
      // A window that the next one would not fit behind takes all that is left.
      if (end + 2 * length > last) end = last;
      schedule.ends.push_back(end);
    }
    return schedule;
  }
};

}  // namespace varimesh::mcmc
