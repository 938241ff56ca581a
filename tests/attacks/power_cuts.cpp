// The power goes at any moment of 'varimesh run': what a disk may hold then is made from a log of all calls, and the
// run is resumed from it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "attacked_run.h"
#include "disk_model.h"

namespace varimesh::attack {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

/// Makes files below another directory than that they were written to.
void restore(const Files& files, const fs::path& from, const fs::path& to) {
  for (const auto& [path, content] : files) {
    const fs::path place = to / fs::path(path).lexically_relative(from);
    if (content == directory_mark)
      fs::create_directories(place);
    else
      std::ofstream(place, std::ios::binary) << content;
  }
}

class PowerCuts : public testing::TestWithParam<const char*> {
 protected:
  PowerCuts() {
    reset_control();
    control().logging = true;
    EXPECT_EQ(run_attacked(problem_.run(out_, command_)).exit_code, 0);
    calls_ = read_log();
    expected_ = answer_in(out_, command_.method);
  }

  const AttackedProblem problem_;
  const Command command_{.method = GetParam()};
  const fs::path out_ = problem_.fresh();
  std::vector<DiskCall> calls_;
  std::string expected_;
};

INSTANTIATE_TEST_SUITE_P(Methods, PowerCuts, testing::Values("nuts", "laplace"));

TEST_P(PowerCuts, AtAnyMomentLoseNothingThatWasSaved) {
  const Disk disk(calls_);
  Tally tally;
  std::set<Files> seen;
  for (std::size_t end = 0; end <= disk.num_calls(); ++end) {
    const std::size_t certain = disk.certain(end);
    for (const std::size_t names : {certain, end}) {
      for (const Unsynced unsynced : {Unsynced::kept, Unsynced::lost, Unsynced::zeroed}) {
        const Files files = disk.state(end, names, unsynced);
        if (!seen.insert(files).second) continue;
        const fs::path out = problem_.fresh();
        restore(files, out_, out);
        resume_and_count(problem_, out, command_, expected_,
                         fmt::format("after {} calls, {} of names, data {}", end, names, static_cast<int>(unsynced)),
                         tally);
      }
    }
  }
  report("power cuts", tally);
}

TEST_P(PowerCuts, AfterTheEndFindTheResult) {
  const Disk disk(calls_);
  const std::size_t end = disk.num_calls();
  for (const Unsynced unsynced : {Unsynced::lost, Unsynced::zeroed}) {
    const fs::path out = problem_.fresh();
    restore(disk.state(end, disk.certain(end), unsynced), out_, out);
    EXPECT_EQ(answer_in(out, command_.method), expected_);
  }
}

}  // namespace
}  // namespace varimesh::attack
