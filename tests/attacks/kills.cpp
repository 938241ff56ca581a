// 'varimesh run' killed at every call that changes the file system, and resumed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

#include "attacked_run.h"
#include "faults.h"

namespace varimesh::attack {
namespace {

class Kills : public testing::TestWithParam<const char*> {
 protected:
  Kills() {
    const auto out = problem_.fresh();
    EXPECT_EQ(run_in_peace(problem_.run(out, command_)).exit_code, 0);
    expected_ = answer_in(out, command_.method);
  }

  /// Runs into a directory, killed at a call; whether it came to that.
  bool kill_at(const std::filesystem::path& out, const Command& command, Fault fault, long call) const {
    reset_control();
    control().fault = fault;
    control().at = call;
    return run_attacked(problem_.run(out, command)).signal == SIGKILL;
  }

  const AttackedProblem problem_;
  const Command command_{.method = GetParam()};
  std::string expected_;
};

INSTANTIATE_TEST_SUITE_P(Methods, Kills, testing::Values("nuts", "laplace"));

TEST_P(Kills, BeforeOrAfterAnyCallLoseNothing) {
  Tally tally;
  for (const Fault fault : {Fault::kill, Fault::kill_after}) {
    for (long call = 1;; ++call) {
      const auto out = problem_.fresh();
      const bool killed = kill_at(out, command_, fault, call);
      resume_and_count(problem_, out, command_, expected_, fmt::format("killed at call {}", call), tally);
      if (!killed) break;
    }
  }
  report("kills", tally);
}

TEST_P(Kills, OfResumedRunsLoseNothing) {
  Tally tally;
  const Command resumed{.method = command_.method, .resume = true};
  for (long first = 1;; first += 29) {
    bool killed = false;
    for (long second = 1;; second += 17) {
      const auto out = problem_.fresh();
      killed = kill_at(out, command_, Fault::kill, first);
      const bool again = kill_at(out, resumed, Fault::kill_after, second);
      resume_and_count(problem_, out, command_, expected_, fmt::format("killed at calls {} and {}", first, second),
                       tally);
      if (!again) break;
    }
    if (!killed) break;
  }
  report("kills of resumed runs", tally);
}

TEST_P(Kills, OfForcedRunsLeaveOneOfTheTwo) {
  Tally tally;
  const Command other{.method = command_.method, .force = true, .seed = 2};
  const auto second = problem_.fresh();
  ASSERT_EQ(run_in_peace(problem_.run(second, other)).exit_code, 0);
  const std::string expected = answer_in(second, other.method);
  for (long call = 1;; call += 3) {
    const auto out = problem_.fresh();
    ASSERT_EQ(run_in_peace(problem_.run(out, command_)).exit_code, 0);
    const bool killed = kill_at(out, other, Fault::kill, call);
    // What is there now, if it is a whole result, is one of the two.
    try {
      const std::string found = answer_in(out, other.method);
      if (found != expected && found != expected_ && tally.mixed++ == 0)
        ADD_FAILURE() << "killed at call " << call << ": a mixture";
    } catch (const std::exception&) {  // none, which --force or --resume repairs
    }
    const Command repair{.method = other.method, .force = true, .seed = 2};
    const Ending ending = run_in_peace(problem_.run(out, repair));
    ++tally.cases;
    if (ending.exit_code != 0 || answer_in(out, other.method) != expected) {
      if (tally.refused++ == 0) ADD_FAILURE() << "killed at call " << call << ": " << ending.text;
    }
    if (!leftovers(out).empty()) ++tally.left_behind;
    std::filesystem::remove_all(out);
    if (!killed) break;
  }
  report("kills of forced runs", tally);
}

}  // namespace
}  // namespace varimesh::attack
