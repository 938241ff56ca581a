// 'varimesh run' where calls of the file system fail, write less than asked for, or are interrupted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attacked_run.h"
#include "faults.h"

namespace varimesh::attack {
namespace {

class FailingCalls : public testing::TestWithParam<const char*> {
 protected:
  FailingCalls() {
    const auto out = problem_.fresh();
    reset_control();
    EXPECT_EQ(run_attacked(problem_.run(out, command_)).exit_code, 0);
    calls_ = control().calls;
    expected_ = answer_in(out, command_.method);
  }

  /// Every second call in turn, once or for good. The run must end by itself, well if `must_succeed`, and be resumed.
  void attack(Fault fault, bool lasting, bool must_succeed, const char* name) {
    Tally tally;
    for (long call = 1 + static_cast<int>(fault) % 2; call <= calls_; call += 2) {
      reset_control();
      control().fault = fault;
      control().at = call;
      control().lasting = lasting;
      const auto out = problem_.fresh();
      const Ending ending = run_attacked(problem_.run(out, command_));
      const std::string how = fmt::format("{} at call {}{}", name, call, lasting ? " and after" : "");
      const bool sound = ending.signal == 0 && (ending.exit_code == 0 || (!must_succeed && ending.exit_code == 2));
      if (!sound && tally.crashed++ == 0)
        ADD_FAILURE() << how << ": signal " << ending.signal << ", code " << ending.exit_code << ", " << ending.text;
      // What says that it succeeded did.
      if (ending.exit_code == 0) {
        try {
          if (answer_in(out, command_.method) != expected_) ++tally.mixed;
        } catch (const std::exception& error) {
          if (tally.lost++ == 0) ADD_FAILURE() << how << ": " << error.what();
        }
      }
      resume_and_count(problem_, out, command_, expected_, how, tally);
    }
    report(name, tally);
  }

  const AttackedProblem problem_;
  const Command command_{.method = GetParam()};
  std::string expected_;
  long calls_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Methods, FailingCalls, testing::Values("nuts", "laplace"));

TEST_P(FailingCalls, OnceForWantOfSpaceAreReported) { attack(Fault::no_space, false, false, "no space once"); }
TEST_P(FailingCalls, OnAFullDiskAreReported) { attack(Fault::no_space, true, false, "no space"); }
TEST_P(FailingCalls, OfABrokenDiskAreReported) { attack(Fault::disk_error, false, false, "disk errors"); }
TEST_P(FailingCalls, ThatSignalsInterruptAreRepeated) { attack(Fault::interrupted, false, true, "interrupted calls"); }
TEST_P(FailingCalls, ThatWriteInPartGoOn) { attack(Fault::short_write, false, true, "short writes"); }

}  // namespace
}  // namespace varimesh::attack
