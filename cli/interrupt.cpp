#include "interrupt.h"

#include <csignal>

namespace varimesh::cli {
namespace {

volatile std::sig_atomic_t asked = 0;

extern "C" void ask_for_an_end(int /*signal*/) { asked = 1; }

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = ask_for_an_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;  // the next one has its usual effect
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return asked != 0; }

}  // namespace varimesh::cli
