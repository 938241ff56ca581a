// What is printed, and what happens where it cannot be.
#include <gmock/gmock.h>

#include "cli/program.h"

namespace varimesh {
namespace {

using test::run_program;
using test::ScratchDirectory;
using testing::HasSubstr;
using testing::Not;

/// The exit code of a command of the shell, in which varimesh is the program; beyond 128 for a signal.
int shell(const std::string& command, const ScratchDirectory& directory) {
  const std::string whole =
      "cd '" + directory.path().string() + "' && varimesh() { '" + test::program() + "' \"$@\"; } && " + command;
  const int status = std::system(whole.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Output, ThatCannotBeWrittenIsAFailure) {
  const ScratchDirectory directory;
  for (const char* where : {"/dev/full", "&-"}) {
    const std::string out = std::string(" >") + where, error = std::string(" 2>") + where;
    EXPECT_EQ(shell("varimesh --version" + out + " 2>errors", directory), 1);
    EXPECT_THAT(directory.read("errors"), HasSubstr("varimesh: cannot write to standard output"));
    EXPECT_EQ(shell("varimesh --help" + out + " 2>/dev/null", directory), 1);
    EXPECT_EQ(shell("varimesh run nothing.toml" + error, directory), 2);      // bad input comes first
    EXPECT_EQ(shell("varimesh --version >/dev/null" + error, directory), 0);  // there was nothing to say
    EXPECT_EQ(shell("varimesh --version" + out + error, directory), 1);
  }
}

TEST(Output, ThatCannotBeWrittenSpoilsNoResults) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  for (const char* where : {"/dev/full", "&-"}) {
    const std::string run = std::string("varimesh run a/problem.toml -m fcvb -v --force -o out >/dev/null 2>") + where;
    EXPECT_EQ(shell(run, directory), 1);
    EXPECT_EQ(run_program("report out", directory.path()).exit_code, 0);
  }
}

TEST(Output, SpellsOutControlCharactersOfNames) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  std::string problem = directory.read("a/problem.toml");
  const std::string name = "log_flux = {";
  ASSERT_NE(problem.find(name), std::string::npos);
  problem.replace(problem.find(name), name.size(), "\"red\\u001b[31m\\u009b\" = {");
  directory.write("a/\x1b[2Jproblem.toml", problem);
  const auto output = run_program("run 'a/\x1b[2Jproblem.toml' -m laplace", directory.path());
  EXPECT_EQ(output.exit_code, 0);
  EXPECT_THAT(output.text, HasSubstr("red\\x1b[31m\\x9b"));
  EXPECT_THAT(output.text, HasSubstr("a/\\x1b[2Jproblem-results"));
  EXPECT_THAT(output.text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(output.text, Not(HasSubstr("\u009b")));
  const auto error = run_program("run '\x1b[2J.toml'", directory.path());
  EXPECT_EQ(error.text, "varimesh: cannot read \\x1b[2J.toml: No such file or directory\n");
}

}  // namespace
}  // namespace varimesh
