#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "varimesh/cancellation.h"
#include "varimesh/thread_pool.h"
#include "varimesh/types.h"

namespace varimesh {

/// Calls work(i) for i = 0 .. count-1 on up to `threads` threads, in any order. The first exception stops the rest and
/// is thrown again here. A request to end is heard before each (cancellation.h).
template <class Work>
void parallel_for(Index count, int threads, const Work& work) {
  if (threads <= 1 || count <= 1) {
    for (Index i = 0; i < count; ++i) {
      throw_if_interrupted();
      work(i);
    }
    return;
  }
  std::atomic<Index> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto worker = [&, heard = listening()] {
    const CancellationScope scope(heard);
    try {
      for (Index i = next++; i < count; i = next++) {
        throw_if_interrupted();
        work(i);
      }
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  run_on_threads(static_cast<int>(std::min<Index>(threads, count)) - 1, worker);
  if (failure) std::rethrow_exception(failure);
}

/// The same in blocks of equal size: work(first, size) for consecutive i, up to `width` of them.
template <class Work>
void parallel_for_blocks(Eigen::Index count, Eigen::Index width, int threads, const Work& work) {
  const Eigen::Index blocks = (count + width - 1) / width;
  parallel_for(static_cast<Index>(blocks), threads, [&](Index block) {
    const Eigen::Index first = block * count / blocks, end = (block + 1) * count / blocks;
    work(first, end - first);
  });
}

}  // namespace varimesh
