// 'varimesh run' where memory ends: at any allocation, for one or for good.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "attacked_run.h"
#include "faults.h"

namespace varimesh::attack {
namespace {

class FailingAllocations : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Methods, FailingAllocations, testing::Values("nuts", "laplace"));

TEST_P(FailingAllocations, EndTheRunButLoseNothing) {
  constexpr long cases = 60;
  const AttackedProblem problem;
  const Command command{.method = GetParam()};
  reset_control();
  const auto first = problem.fresh();
  ASSERT_EQ(run_attacked(problem.run(first, command)).exit_code, 0);
  const long allocations = control().allocations;
  const std::string expected = answer_in(first, command.method);
  Tally tally;
  for (const long lasting : {1L, allocations}) {
    for (long at = 1; at <= allocations; at += std::max(1L, allocations / cases)) {
      reset_control();
      control().no_memory_at = at;
      control().no_memory_for = lasting;
      // Where memory is full, what is small is still found: without it JSON could not even be freed.
      control().no_memory_from = lasting > 1 ? 16384 : 0;
      const auto out = problem.fresh();
      const Ending ending = run_attacked(problem.run(out, command));
      const std::string how = fmt::format("allocation {} failed{}", at, lasting > 1 ? ", as all after it" : "");
      const bool sound = ending.signal == 0 && ending.exit_code >= 0 && ending.exit_code <= 2;
      if (!sound && tally.crashed++ == 0)
        ADD_FAILURE() << how << ": signal " << ending.signal << ", code " << ending.exit_code << ", " << ending.text;
      resume_and_count(problem, out, command, expected, how, tally);
    }
  }
  report("failing allocations", tally);
}

}  // namespace
}  // namespace varimesh::attack
