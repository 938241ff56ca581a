#include "varimesh/stopwatch.h"

#include <chrono>
#include <ctime>
#include <utility>

namespace varimesh {
namespace {

bool& counts_processor_time() {
  thread_local bool counts = false;
  return counts;
}

double time_now(bool processor) {
  if (!processor) return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Stopwatch::Stopwatch() : processor_(counts_processor_time()), begin_(time_now(processor_)) {}

double Stopwatch::seconds() const { return time_now(processor_) - begin_; }

ProcessorTimeScope::ProcessorTimeScope() : before_(std::exchange(counts_processor_time(), true)) {}

ProcessorTimeScope::~ProcessorTimeScope() { counts_processor_time() = before_; }

}  // namespace varimesh
