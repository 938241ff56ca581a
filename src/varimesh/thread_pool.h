#pragma once

#include <functional>

namespace varimesh {

/// Calls `work` on this thread and, at the same time, on up to `others` threads, which are kept for later calls.
/// Returns when none of them is in it any more; those that had not begun when this thread was done never do. `work`
/// must not throw.
void run_on_threads(int others, const std::function<void()>& work);

}  // namespace varimesh
