#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace varimesh {

/// What a child process may use beyond what it begins with.
struct ChildLimits {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();    ///< of memory
  std::uint64_t seconds = std::numeric_limits<std::uint64_t>::max();  ///< of computing
};

/// Runs work in a child process, for libraries that crash on what they read, or where memory or disks end: only files
/// that it writes remain. An InputError or bad_alloc that it throws is thrown here; if it crashes, an InputError with
/// this message. Where no process can be made, it runs here. Asked to end (cancellation.h), it ends the child. Work
/// must not call BLAS: other threads may hold its locks when the child is forked, and it would wait for them in vain.
void run_in_child(const std::function<void()>& work, const std::string& if_it_crashes, const ChildLimits& limits = {});

}  // namespace varimesh
