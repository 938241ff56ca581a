#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "commands.h"

namespace varimesh::cli {
namespace {

constexpr std::int64_t never = -1;

/// What a signal handler may read and write: lock-free, and made when the program starts.
struct Asked {
  std::atomic<bool> nothing_to_lose = true;
  std::atomic<std::int64_t> time = never;  ///< in nanoseconds
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

Asked& asked() {
  static constinit Asked state;
  return state;
}

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

extern "C" void ask_for_an_end(int /*signal*/) {
  if (asked().nothing_to_lose) {
    constexpr std::string_view words = "varimesh: interrupted; nothing was written\n", wipe = "\r\033[K";
    if (isatty(STDERR_FILENO) != 0 && write(STDERR_FILENO, wipe.data(), wipe.size()) < 0) _exit(interrupted_by_user);
    if (write(STDERR_FILENO, words.data(), words.size()) < 0) _exit(interrupted_by_user);
    _exit(interrupted_by_user);
  }
  asked().time = now();
}

class User final : public Cancellation {
 public:
  bool requested() const noexcept override { return asked().time.load(std::memory_order_relaxed) != never; }
  bool expired() const noexcept override {
    constexpr std::int64_t grace = 800'000'000;
    const std::int64_t time = asked().time.load(std::memory_order_relaxed);
    return time != never && now() - time > grace;
  }
};

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = ask_for_an_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;  // the next one has its usual effect
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    // What is ignored, as by nohup, stays so.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void protect_results() { asked().nothing_to_lose = false; }

bool interrupted() { return user().requested(); }

const Cancellation& user() {
  static const User the_user;
  return the_user;
}

}  // namespace varimesh::cli
