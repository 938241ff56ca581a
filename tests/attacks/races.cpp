// Several 'varimesh run' into one directory at once: each is refused or succeeds, and what is there is of one of them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <vector>

#include "attacked_run.h"
#include "faults.h"

namespace varimesh::attack {
namespace {

TEST(Races, LeaveTheResultsOfOneRun) {
  constexpr int rounds = 30, runs = 4;
  const AttackedProblem problem;
  std::map<unsigned, std::string> expected;
  for (unsigned seed = 1; seed <= runs; ++seed) {
    const auto out = problem.fresh();
    ASSERT_EQ(run_in_peace(problem.run(out, {.seed = seed})).exit_code, 0);
    expected[seed] = answer_in(out, "nuts");
  }
  Tally tally;
  for (int round = 0; round < rounds; ++round) {
    const auto out = problem.fresh();
    std::vector<pid_t> children;
    for (unsigned seed = 1; seed <= runs; ++seed) {
      const pid_t child = fork();
      if (child == 0) {
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(91);
        _exit(problem.run(out, {.force = true, .seed = seed})());
      }
      children.push_back(child);
    }
    int succeeded = 0;
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      if (code != 0 && code != 2 && tally.crashed++ == 0) ADD_FAILURE() << "exit code " << code;
      succeeded += code == 0 ? 1 : 0;
    }
    tally.cases += runs;
    if (succeeded == 0 && tally.refused++ == 0) ADD_FAILURE() << "all were refused";
    try {
      const std::string found = answer_in(out, "nuts");
      const bool known =
          std::any_of(expected.begin(), expected.end(), [&](const auto& e) { return e.second == found; });
      if (!known && tally.mixed++ == 0) ADD_FAILURE() << "a mixture";
    } catch (const std::exception& error) {
      if (tally.lost++ == 0) ADD_FAILURE() << error.what();
    }
    if (!leftovers(out).empty()) ++tally.left_behind;
    std::filesystem::remove_all(out);
  }
  report("races", tally);
}

}  // namespace
}  // namespace varimesh::attack
