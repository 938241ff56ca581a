// 'varimesh calibrate' as a user types it.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "calibration/line_problem.h"
#include "cli/program.h"

namespace varimesh {
namespace {

using test::run_program;
using test::ScratchDirectory;
using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string problem = test::line_problem;

TEST(CalibrateCommand, TellsMeanFieldFromNuts) {
  const ScratchDirectory directory;
  directory.write("problem.toml", problem);
  const auto output = run_program(
      "calibrate problem.toml -m nuts,mfvb --repeats 40 --set method.chains.draws=150 --set method.chains.warmup=100",
      directory.path());
  EXPECT_EQ(output.exit_code, 1) << output.text;
  for (const char* word : {"NUTS is calibrated as far as 40 repeats can tell", "MFVB is not calibrated (", "in 90 %",
                           "log_flux", "problem-calibration/calibration.html"})
    EXPECT_THAT(output.text, HasSubstr(word));
  const auto json = nlohmann::json::parse(directory.read("problem-calibration/calibration.json"));
  EXPECT_EQ(json["methods"][0]["verdict"], "calibrated");
  EXPECT_EQ(json["methods"][1]["verdict"], "miscalibrated");
  EXPECT_EQ(json["methods"][1]["quantities"][0]["ranks"].size(), 40U);
  EXPECT_THAT(directory.read("problem-calibration/calibration.html"), HasSubstr("MFVB is not calibrated"));
}

TEST(CalibrateCommand, KeepsResultsUnlessForced) {
  const ScratchDirectory directory;
  directory.write("problem.toml", problem);
  const std::string command = "calibrate problem.toml -m laplace --repeats 3 -q -o out";
  EXPECT_EQ(run_program(command, directory.path()).text, "");
  EXPECT_EQ(run_program(command, directory.path()).text,
            "varimesh: 'out' exists: expected a new directory, or the option --resume or --force\n");
  EXPECT_EQ(run_program(command + " --force --seed 2", directory.path()).exit_code, 0);
  const auto refused = run_program(command + " --resume", directory.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.text, HasSubstr("'out/repeats.jsonl' holds repeats of another problem, or with other options"));
}

TEST(CalibrateCommand, BadInputEndsInOneSentence) {
  const ScratchDirectory directory;
  directory.write("problem.toml", problem);
  const auto expect = [&](const std::string& arguments, const std::string& message) {
    const auto output = run_program("calibrate " + arguments, directory.path());
    EXPECT_EQ(output.exit_code, 2) << arguments;
    EXPECT_THAT(output.text, HasSubstr("varimesh: " + message)) << arguments;
  };
  expect("", "calibrate: expected a problem file; 'varimesh calibrate --help' says more");
  expect("nothing.toml", "cannot read nothing.toml: No such file or directory");
  expect("problem.toml -m nutz", "unknown method 'nutz', expected one of");
  expect("problem.toml --repeats 0", "--repeats: Value 0 not in range");
  expect("problem.toml --repeat 5", "calibrate: unknown option '--repeat', expected one of");
  EXPECT_EQ(directory.list(), std::vector<std::string>{"problem.toml"});
}

TEST(CalibrateCommand, InterruptedKeepsFinishedRepeats) {
  const ScratchDirectory directory;
  directory.write("problem.toml", problem);
  const std::string program = test::program();
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(directory.path().c_str()) != 0) _exit(99);
    std::signal(SIGINT, SIG_DFL);  // which tests in the background ignore
    execl(program.c_str(), program.c_str(), "calibrate", "problem.toml", "-m", "hmc", "--repeats", "100000", "-q", "-o",
          "out", nullptr);
    _exit(98);
  }
  const auto lines = [&] { return std::ranges::count(directory.read("out/repeats.jsonl"), '\n'); };
  int status = 0;
  while (lines() < 3 && waitpid(child, &status, WNOHANG) == 0) sched_yield();
  kill(child, SIGINT);
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  const auto kept = lines() - 1;
  EXPECT_GE(kept, 2);
  const auto resumed = run_program("calibrate problem.toml -m hmc --repeats 4 --resume -o out", directory.path());
  EXPECT_EQ(resumed.exit_code, 0) << resumed.text;
  EXPECT_EQ(nlohmann::json::parse(directory.read("out/calibration.json"))["repeats"], 4);
}

}  // namespace
}  // namespace varimesh
