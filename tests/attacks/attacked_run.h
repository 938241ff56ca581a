#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "scratch_directory.h"

namespace varimesh::attack {

/// How a process ended.
struct Ending {
  int signal = 0;      ///< that ended it; 0 if none did
  int exit_code = -1;  ///< if none did
  std::string text;    ///< what it said
};

/// Runs something in a process group of its own, under whatever control() asks for.
Ending run_attacked(const std::function<int()>& work);
/// The same without attacks.
Ending run_in_peace(const std::function<int()>& work);

/// What 'varimesh run' is asked for.
struct Command {
  std::string method = "nuts";
  bool resume = false, force = false;
  unsigned seed = 1;
};

/// A small problem on a line, where 'varimesh run' takes milliseconds, and directories for its results.
class AttackedProblem {
 public:
  AttackedProblem();

  const std::filesystem::path& directory() const { return scratch_.path(); }
  /// A new directory for results, which is not there yet.
  std::filesystem::path fresh() const;
  /// 'varimesh run' into a directory, to be run in another process: its exit code, 90 for what should not be.
  std::function<int()> run(const std::filesystem::path& out, const Command& command) const;

 private:
  test::ScratchDirectory scratch_;
};

/// What the answer of a method in a directory of results comes to: its draws, to the last bit, and its summary but for
/// the time it took. Throws if it cannot be read.
std::string answer_in(const std::filesystem::path& out, const std::string& method);
/// Names of files in a directory and those below that are no part of results.
std::vector<std::string> leftovers(const std::filesystem::path& out);

/// What has come of attacks, by kind.
struct Tally {
  int cases = 0, lost = 0, mixed = 0, refused = 0, crashed = 0, left_behind = 0;

  bool is_clean() const { return lost + mixed + refused + crashed + left_behind == 0; }
};

/// A method's run that was attacked: resumes it in peace and counts what comes of it, with the reason of the first
/// failure as a test failure. `how` says what was done to it.
void resume_and_count(const AttackedProblem& problem, const std::filesystem::path& out, const Command& command,
                      const std::string& expected, const std::string& how, Tally& tally);
/// Prints what was counted, and expects it to be clean.
void report(const char* attack, const Tally& tally);

}  // namespace varimesh::attack
