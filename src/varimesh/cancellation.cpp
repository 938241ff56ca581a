#include "varimesh/cancellation.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace varimesh {
namespace {

/// What this thread listens to.
Listening& current() {
  constinit thread_local Listening own = {};
  return own;
}

/// Threads that were left to themselves. The libraries they are in must not go before them.
class Detached {
 public:
  Detached() = default;
  Detached(const Detached&) = delete;
  Detached& operator=(const Detached&) = delete;
  ~Detached() {
    std::unique_lock lock(mutex_);
    none_.wait(lock, [&] { return count_ == 0; });
  }

  void begin() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--count_ == 0) none_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int count_ = 0;
};

Detached& detached() {
  static Detached threads;
  return threads;
}

}  // namespace

Listening listening() { return current(); }

Listening finishing() { return {current().cancellation, true}; }

CancellationScope::CancellationScope(Listening listening) : before_(std::exchange(current(), listening)) {}

CancellationScope::~CancellationScope() { current() = before_; }

void throw_if_interrupted() {
  const auto [cancellation, finishing] = current();
  if (cancellation && (finishing ? cancellation->expired() : cancellation->requested())) throw Interrupted();
}

void start_detached(std::function<void()> work) {
  detached().begin();
  try {
    std::thread([work = std::move(work)]() mutable {
      work();
      work = nullptr;  // what it owns goes before anybody may count on its end
      detached().end();
    }).detach();
  } catch (...) {
    detached().end();
    throw;
  }
}

}  // namespace varimesh
