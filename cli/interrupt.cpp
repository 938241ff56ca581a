#include "interrupt.h"

#include <atomic>
#include <csignal>

namespace varimesh::cli {
namespace {

/// Lock-free and made when the program starts, so that a signal handler may write it.
std::atomic<bool>& asked() {
  static_assert(std::atomic<bool>::is_always_lock_free);
  static constinit std::atomic<bool> flag = false;
  return flag;
}

extern "C" void ask_for_an_end(int /*signal*/) { asked() = true; }

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

bool interrupted() { return asked(); }

}  // namespace varimesh::cli
