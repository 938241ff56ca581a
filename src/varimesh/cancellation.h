#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace varimesh {

/// Thrown out of a long computation that was asked to end.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Somebody who may ask computations to end; asked from many threads, and often.
class Cancellation {
 public:
  virtual ~Cancellation() = default;
  /// Whether to end, and to make an answer of what is there. Once true, it stays so; the same of expired().
  virtual bool requested() const noexcept = 0;
  /// Whether to leave out of the answer what is not there yet.
  virtual bool expired() const noexcept = 0;
};

/// Whom a thread listens to; by default nobody.
struct Listening {
  const Cancellation* cancellation = nullptr;
  bool finishing = false;  ///< an answer is being made of what is there: only expired() ends that
};

/// What this thread listens to.
Listening listening();
/// The same while an answer is made of what is there.
Listening finishing();

/// While it lives, computations of this thread, and of those that it starts by parallel_for, end with Interrupted soon
/// after they are asked to.
class CancellationScope {
 public:
  explicit CancellationScope(Listening listening);
  ~CancellationScope();
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  Listening before_;
};

/// What long computations call several times a second at least.
void throw_if_interrupted();

/// Calls work(), and tells whether it came to its end rather than being interrupted.
template <class Work>
bool completes(const Work& work) {
  try {
    work();
    return true;
  } catch (const Interrupted&) {
    return false;
  }
}

/// Starts a thread whose end the process waits for when it exits, and nobody before.
void start_detached(std::function<void()> work);

/// Calls work() for a function of a library that cannot be asked to end: on another thread, so that this one can end
/// with Interrupted, and leave the other to itself. The work must own all that it uses.
template <class Work>
std::invoke_result_t<Work> run_abandonable(Work work) {
  if (!listening().cancellation) return work();
  constexpr std::chrono::milliseconds interval(20);
  const auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Work>()>>(std::move(work));
  auto result = task->get_future();
  throw_if_interrupted();
  start_detached([task] { (*task)(); });
  while (result.wait_for(interval) != std::future_status::ready) throw_if_interrupted();
  return result.get();
}

}  // namespace varimesh
