#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "varimesh/cancellation.h"

namespace varimesh::python {

/// Python's user, who asks for an end by Ctrl-C or the stop button; or code of theirs that failed.
class PythonUser final : public Cancellation {
 public:
  void ask();
  bool requested() const noexcept override;
  /// After 0.8 s, as on the command line.
  bool expired() const noexcept override;

 private:
  static constexpr std::int64_t never = -1;
  std::atomic<std::int64_t> time_ = never;  ///< in nanoseconds
};

/// What came of work that could be interrupted.
template <class Value>
struct Attended {
  std::optional<Value> value;  ///< none if it was interrupted before there was one
  bool interrupted = false;
};

/// Waits, without the interpreter's lock, until work on another thread is done; meanwhile calls `tell` now and then,
/// with the lock, and asks the work to end if that fails or there is a signal. Throws what failed, but for
/// KeyboardInterrupt: then it returns true.
bool wait_for_work(std::mutex& mutex, std::condition_variable& changed, const bool& done, PythonUser& user,
                   const std::function<void()>& tell);

/// Runs `work` on a thread of its own without the interpreter's lock, so that this thread can listen to signals and
/// show progress.
template <class Work>
Attended<std::invoke_result_t<Work>> attend(Work work, const std::function<void()>& tell = {}) {
  Attended<std::invoke_result_t<Work>> outcome;
  PythonUser user;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  std::thread thread([&] {
    const CancellationScope scope({&user});
    try {
      outcome.value.emplace(work());
    } catch (const Interrupted&) {  // outcome.value has nothing
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  });
  std::exception_ptr here;
  try {
    outcome.interrupted = wait_for_work(mutex, changed, done, user, tell);
  } catch (...) {
    here = std::current_exception();
  }
  {
    const nanobind::gil_scoped_release release;
    thread.join();
  }
  if (failure) std::rethrow_exception(failure);
  if (here) std::rethrow_exception(here);
  return outcome;
}

}  // namespace varimesh::python
