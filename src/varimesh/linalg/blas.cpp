#include "varimesh/linalg/blas.h"

#include <omp.h>

#include <atomic>
#include <mutex>

extern "C" void openblas_set_num_threads(int);
extern "C" int openblas_get_num_threads();

namespace varimesh::linalg {

namespace {

/// What the process had before the first of all that live.
struct SetAside {
  std::atomic<int> living = 0;
  std::mutex mutex;
  bool is_set_aside = false;
  int before = 1;
};
SetAside& set_aside() {
  static SetAside state;
  return state;
}

/// Those of this thread, of which only the first looks at the others.
int& blas_depth() {
  thread_local int depth = 0;
  return depth;
}

}  // namespace

OneBlasThread::OneBlasThread() {
  if (blas_depth()++ > 0) return;
  SetAside& state = set_aside();
  if (state.living.fetch_add(1) > 0) return;
  const std::lock_guard lock(state.mutex);
  if (state.is_set_aside) return;  // another has begun, and is not restored yet
  state.is_set_aside = true;
  state.before = openblas_get_num_threads();
  // To set it takes a lock, which a child that is forked meanwhile would wait for in vain.
  if (state.before != 1) openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  if (--blas_depth() > 0) return;
  SetAside& state = set_aside();
  if (state.living.fetch_sub(1) > 1) return;
  const std::lock_guard lock(state.mutex);
  if (state.living > 0 || !state.is_set_aside) return;
  state.is_set_aside = false;
  if (state.before != 1) openblas_set_num_threads(state.before);
}

SerialOpenMp::SerialOpenMp() : saved_levels_(omp_get_max_active_levels()) { omp_set_max_active_levels(0); }
SerialOpenMp::~SerialOpenMp() { omp_set_max_active_levels(saved_levels_); }

}  // namespace varimesh::linalg
