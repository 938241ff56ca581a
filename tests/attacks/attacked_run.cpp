#include "attacked_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "faults.h"
#include "varimesh/allocation.h"
#include "varimesh/error.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::attack {
namespace {

namespace fs = std::filesystem;

constexpr const char* problem_text = R"([mesh]
kind = "interval"
cells = 6

[equation]
source = 1.0

[boundary]
left = { dirichlet = 0.0 }
right = { dirichlet = 0.0 }

[observations]
data = "data.csv"
sigma = 0.01

[prior]
kind = "independent"
mean = 0.0
sigma = 0.5

[method]
draws = 8

[method.chains]
chains = 2
draws = 6
warmup = 4
scale = "diagonal"
)";

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Ending run_child(const std::function<int()>& work, bool armed) {
  std::FILE* said = std::tmpfile();
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    dup2(fileno(said), STDOUT_FILENO);
    dup2(fileno(said), STDERR_FILENO);
    keep_reserve();  // as the program does
    control().armed = armed;
    const int code = work();
    control().armed = false;
    std::fflush(nullptr);
    _exit(code);
  }
  setpgid(child, child);
  int status = 0;
  waitpid(child, &status, 0);
  // A process that it had started may be about to end.
  while (kill(-child, 0) == 0 || errno != ESRCH) sched_yield();
  control().armed = false;
  Ending ending;
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
  if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
  std::rewind(said);
  char chunk[4096];
  while (const std::size_t count = std::fread(chunk, 1, sizeof chunk, said)) ending.text.append(chunk, count);
  std::fclose(said);
  return ending;
}

}  // namespace

Ending run_attacked(const std::function<int()>& work) { return run_child(work, true); }

Ending run_in_peace(const std::function<int()>& work) {
  reset_control();
  return run_child(work, false);
}

AttackedProblem::AttackedProblem() {
  scratch_.write("problem.toml", problem_text);
  scratch_.write("data.csv", "x,value\n0.25,0.10\n0.5,0.12\n0.75,0.09\n");
  // Once in this process, quietly: what the linker and libraries do the first time is then done for all that follow.
  const int said = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDERR_FILENO);
  for (const char* method : {"nuts", "laplace"}) {
    const fs::path out = fresh();
    run(out, {.method = method})();
    answer_in(out, method);
    fs::remove_all(out);
  }
  dup2(said, STDERR_FILENO);
  close(said);
  close(nowhere);
}

fs::path AttackedProblem::fresh() const {
  static int number = 0;
  return directory() / fmt::format("out{}", number++);
}

std::function<int()> AttackedProblem::run(const fs::path& out, const Command& command) const {
  return [=, problem = (directory() / "problem.toml").string()] {
    try {
      cli::RunOptions options;
      options.problem = problem;
      options.methods = {command.method};
      options.out = out;
      options.seed = command.seed;
      options.threads = 1;
      options.resume = command.resume;
      options.force = command.force;
      options.verbosity = cli::Verbosity::quiet;
      return static_cast<int>(cli::run_run(std::move(options)));
    } catch (const InputError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 2;
    } catch (const std::bad_alloc&) {
      return 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "unexpected: %s\n", error.what());
      return 90;
    }
  };
}

std::string answer_in(const fs::path& out, const std::string& method) {
  const run::StoredResult stored = run::read_result(out / method);
  std::string answer;
  for (Index c = 0; c < stored.method.draws.num_chains(); ++c) {
    const auto records = stored.method.draws.records(c);
    answer.append(reinterpret_cast<const char*>(records.data()), records.size_bytes());
  }
  auto summary = nlohmann::ordered_json::parse(read_text(out / method / "summary.json"));
  for (const char* key : {"seconds", "phases"}) summary.erase(key);
  return answer + summary.dump() + read_text(out / method / "kappa.csv");
}

std::vector<std::string> leftovers(const fs::path& out) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".tmp") || (name == "lock" && entry.path().parent_path() == out)) names.push_back(name);
  }
  return names;
}

void resume_and_count(const AttackedProblem& problem, const fs::path& out, const Command& command,
                      const std::string& expected, const std::string& how, Tally& tally) {
  ++tally.cases;
  Command again = command;
  again.resume = true;
  const auto count = [&](int& failures, const std::string& why) {
    if (failures++ == 0) ADD_FAILURE() << how << ": " << why;
  };
  const Ending ending = run_in_peace(problem.run(out, again));
  if (ending.signal != 0 || ending.exit_code == 90)
    count(tally.crashed, fmt::format("signal {}, {}", ending.signal, ending.text));
  else if (ending.exit_code != 0)
    count(tally.refused, ending.text);
  else {
    try {
      if (answer_in(out, command.method) != expected) count(tally.mixed, "another answer");
    } catch (const std::exception& error) {
      count(tally.lost, error.what());
    }
    if (const auto files = leftovers(out); !files.empty()) count(tally.left_behind, files.front());
  }
  fs::remove_all(out);
}

void report(const char* attack, const Tally& tally) {
  fmt::print("{}: {} cases, {} lost, {} mixed, {} refused, {} crashes, {} left behind\n", attack, tally.cases,
             tally.lost, tally.mixed, tally.refused, tally.crashed, tally.left_behind);
  std::fflush(stdout);
  EXPECT_TRUE(tally.is_clean());
  EXPECT_GT(tally.cases, 0);
}

}  // namespace varimesh::attack
