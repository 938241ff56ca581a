#include "attend.h"

namespace varimesh::python {
namespace {

std::int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void PythonUser::ask() {
  if (!requested()) time_ = nanoseconds_now();
}

bool PythonUser::requested() const noexcept { return time_.load(std::memory_order_relaxed) != never; }

bool PythonUser::expired() const noexcept {
  constexpr std::int64_t grace = 800'000'000;
  const std::int64_t time = time_.load(std::memory_order_relaxed);
  return time != never && nanoseconds_now() - time > grace;
}

bool wait_for_work(std::mutex& mutex, std::condition_variable& changed, const bool& done, PythonUser& user,
                   const std::function<void()>& tell) {
  constexpr std::chrono::milliseconds interval(50);
  bool interrupted = false;
  std::exception_ptr failure;
  const auto is_done = [&] {
    const nanobind::gil_scoped_release release;
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, interval, [&] { return done; });
  };
  while (!is_done()) {
    try {
      if (tell && !failure) tell();
      if (PyErr_CheckSignals() != 0) nanobind::raise_python_error();
    } catch (const nanobind::python_error& error) {
      user.ask();
      if (error.matches(PyExc_KeyboardInterrupt)) {
        interrupted = true;
      } else {
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  return interrupted;
}

}  // namespace varimesh::python
