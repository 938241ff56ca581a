// 'varimesh run' and what follows it, as a user types them.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "varimesh/io/csv.h"

namespace varimesh {
namespace {

using test::run_program;
using test::ScratchDirectory;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

nlohmann::json summary(const fs::path& directory) {
  std::ifstream file(directory / "summary.json");
  return nlohmann::json::parse(file);
}

TEST(Run, GoesFromNewToResults) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d", directory.path()).exit_code, 0);
  const auto output = run_program("run 1d/problem.toml", directory.path());
  ASSERT_EQ(output.exit_code, 0) << output.text;
  for (const char* word : {"method", "PMVB", "converged", "NUTS", "R-hat", "kappa error", "log_flux", " long.\n",
                           "1d/problem-results/report.html"})
    EXPECT_THAT(output.text, HasSubstr(word));
  const fs::path results = directory.path() / "1d/problem-results";
  for (const char* method : {"pmvb", "nuts"}) {
    for (const char* file : {"summary.json", "kappa.csv", "posterior.nc", "fields.vtu", "fields.pvd", "sensors.vtu"})
      EXPECT_TRUE(fs::is_regular_file(results / method / file)) << method << "/" << file;
  }
  const auto json = summary(results / "pmvb");
  EXPECT_EQ(json["status"], "converged");
  EXPECT_EQ(json["version"], VARIMESH_VERSION);
  const io::CsvTable kappa = io::read_csv(results / "pmvb/kappa.csv");
  EXPECT_EQ(kappa.num_rows(), 32U);
  // The mean serves as a field for the other commands.
  EXPECT_EQ(
      run_program("evaluate 1d/problem.toml --kappa 1d/problem-results/pmvb/kappa.csv", directory.path()).exit_code, 0);
}

TEST(Run, SaysWhatTheDefaultTookForItsAnswerAndHowThatWasChecked) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d", directory.path()).exit_code, 0);
  const auto output = run_program("run 1d/problem.toml --method auto --budget 90s", directory.path());
  ASSERT_EQ(output.exit_code, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("weighted draws or exact chains, within 1 min 30 s"));
  const nlohmann::json trust = summary(directory.path() / "1d/problem-results/auto")["trust"];
  bool told = false;
  for (const nlohmann::json& item : trust)
    told |= item["kind"] == "choice" && item["level"] == "good" &&
            output.text.find(item["headline"].get<std::string>() + " The fit was there after ") != std::string::npos;
  EXPECT_TRUE(told) << output.text;
}

TEST(Run, KeepsResultsUnlessForced) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  EXPECT_EQ(run_program("new 1d --out a", directory.path()).text,
            "varimesh: 'a' exists: expected a new directory, such as --out my-1d\n");
  // Another prior would change the answer, which is said of this problem rightly.
  const std::string command = "run a/problem.toml --method auto --quiet --set method.sensitivity=false";
  const auto first = run_program(command, directory.path());
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.text, "");  // nothing is off
  EXPECT_EQ(run_program(command, directory.path()).text,
            "varimesh: 'a/problem-results' exists: expected a new directory, or the option --resume or --force\n");
  EXPECT_EQ(run_program(command + " --force --seed 2", directory.path()).exit_code, 0);
  EXPECT_EQ(summary(directory.path() / "a/problem-results/auto")["seed"], 2);
}

TEST(Run, ForceRemovesNothingOfTheUsers) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  fs::create_directories(directory.path() / "out/pmvb");
  directory.write("out/pmvb/thesis.txt", "years of work");
  ASSERT_EQ(run_program("run a/problem.toml -m pmvb,laplace -q --force -o out", directory.path()).exit_code, 0);
  ASSERT_EQ(run_program("run a/problem.toml -m laplace -q --force -o out", directory.path()).exit_code, 0);
  EXPECT_EQ(directory.read("out/pmvb/thesis.txt"), "years of work");
  EXPECT_FALSE(fs::exists(directory.path() / "out/pmvb/summary.json"));  // not of this run
  EXPECT_TRUE(fs::exists(directory.path() / "out/laplace/summary.json"));
}

TEST(Run, ShowsWhatOthersFoundBeforeItFails) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  const auto output =
      run_program("run a/problem.toml -m laplace,pcn --set method.chains.scale=dense -o out", directory.path());
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_THAT(output.text, HasSubstr("Laplace"));
  EXPECT_THAT(output.text, HasSubstr("chains.scale: pCN takes"));
  EXPECT_TRUE(fs::exists(directory.path() / "out/report.html"));
  EXPECT_FALSE(fs::exists(directory.path() / "out/pcn"));
}

TEST(Run, OrderOfQuantitiesIsPartOfTheProblem) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  std::string problem = directory.read("a/problem.toml");
  const std::string line = "log_flux = { log_flux = \"left\" }\n", other = "flux = { flux = \"right\" }\n";
  const auto with = [&](const std::string& quantities) {
    std::string text = problem;
    directory.write("a/problem.toml", text.replace(text.find(line), line.size(), quantities));
  };
  with(line + other);
  ASSERT_EQ(run_program("run a/problem.toml -m laplace -q -o out", directory.path()).exit_code, 0);
  with(other + line);
  EXPECT_THAT(run_program("run a/problem.toml -m laplace -q -o out --resume", directory.path()).text,
              HasSubstr("holds results of another problem"));
}

TEST(Run, ResumesWhatIsMissingAndExtendsChains) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  const std::string chains = " --set method.chains.chains=2 --set method.chains.draws=";
  ASSERT_EQ(run_program("run a/problem.toml -m nuts -o short" + chains + "50", directory.path()).exit_code, 0);
  ASSERT_EQ(run_program("run a/problem.toml -m nuts -o long" + chains + "120", directory.path()).exit_code, 0);
  const auto resumed =
      run_program("run a/problem.toml -m pmvb,nuts -o short --resume" + chains + "120", directory.path());
  EXPECT_EQ(resumed.exit_code, 0) << resumed.text;
  EXPECT_EQ(directory.read("short/nuts/kappa.csv"), directory.read("long/nuts/kappa.csv"));
  const auto again =
      run_program("run a/problem.toml -m pmvb,nuts -o short --resume" + chains + "120", directory.path());
  EXPECT_THAT(again.text, HasSubstr("PMVB    finished before"));
  EXPECT_THAT(again.text, HasSubstr("NUTS    finished before"));
  // Another problem is not mixed in.
  EXPECT_THAT(run_program("run a/problem.toml -m pmvb -o short --resume --set prior.sigma=2", directory.path()).text,
              HasSubstr("holds results of another problem"));
}

/// Starts the program, and waits until a file is there, or it has ended.
pid_t start_until(const fs::path& file, const std::vector<std::string>& arguments, const fs::path& directory) {
  const std::string program = test::program();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);  // which tests in the background ignore
    if (chdir(directory.c_str()) != 0) _exit(99);
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(98);
  }
  siginfo_t ended{};
  while (!fs::exists(file) && waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0)
    sched_yield();
  return child;
}

/// Sends a signal, and gives the exit code, or -1 if there is none.
int end_by(int signal, pid_t child) {
  int status = 0;
  kill(child, signal);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Run, NoOtherMayUseItsDirectoryMeanwhile) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  const auto start = [&] {
    fs::remove_all(directory.path() / "out");
    return start_until(
        directory.path() / "out/nuts/chains/chain_0.draws",
        {"run", "a/problem.toml", "-m", "nuts", "-q", "-o", "out", "--set", "method.chains.draws=1000000"},
        directory.path());
  };
  ASSERT_EQ(run_program("run a/problem.toml -m laplace -q -o before", directory.path()).exit_code, 0);
  const std::string other = "run a/problem.toml -m laplace -q --seed 2 -o out";
  pid_t running = start();
  for (const std::string& command :
       {other + " --force", other + " --resume", std::string("predict before a/problem.toml -q --force -o out")}) {
    const auto output = run_program(command, directory.path());
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_EQ(output.text, "varimesh: another run is using out\n");
  }
  EXPECT_TRUE(fs::exists(directory.path() / "out/nuts/chains/chain_0.draws"));
  EXPECT_FALSE(fs::exists(directory.path() / "out/laplace"));
  EXPECT_EQ(end_by(SIGINT, running), 3);
  EXPECT_FALSE(fs::exists(directory.path() / "out/lock"));

  // The lock of one that was killed is none.
  running = start();
  EXPECT_EQ(end_by(SIGKILL, running), -1);
  EXPECT_TRUE(fs::exists(directory.path() / "out/lock"));
  EXPECT_EQ(run_program(other + " --force", directory.path()).exit_code, 0);
  EXPECT_FALSE(fs::exists(directory.path() / "out/nuts"));
}

TEST(Run, OfManyThatForceOneDirectoryOneWrites) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  std::vector<pid_t> children;
  for (const char* seed : {"1", "2", "3", "4"})
    children.push_back(start_until(directory.path() / "a",
                                   {"run", "a/problem.toml", "-m", "laplace,fcvb,pmvb", "-q", "--force", "-o", "out",
                                    "--threads", "1", "--seed", seed},
                                   directory.path()));
  int wrote = 0;
  for (const pid_t child : children) {
    const int code = end_by(0, child);
    EXPECT_TRUE(code == 0 || code == 2) << code;
    wrote += code == 0;
  }
  EXPECT_GE(wrote, 1);
  const auto seed = summary(directory.path() / "out/laplace")["seed"];
  for (const char* method : {"fcvb", "pmvb"}) EXPECT_EQ(summary(directory.path() / "out" / method)["seed"], seed);
}

TEST(Run, InterruptedWritesWhatIsThereAndResumesToTheSameDraws) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  const std::string draws = "method.chains.draws=2000";
  ASSERT_EQ(run_program("run a/problem.toml -m nuts -q -o whole --set " + draws, directory.path()).exit_code, 0);
  // Chains are at work once their directory is there.
  const pid_t running =
      start_until(directory.path() / "part/nuts/chains",
                  {"run", "a/problem.toml", "-m", "nuts", "-q", "-o", "part", "--set", draws}, directory.path());
  ASSERT_EQ(end_by(SIGINT, running), 3);
  EXPECT_EQ(summary(directory.path() / "part/nuts")["status"], "interrupted");
  ASSERT_EQ(run_program("run a/problem.toml -m nuts -q -o part --resume --set " + draws, directory.path()).exit_code,
            0);
  EXPECT_EQ(summary(directory.path() / "part/nuts")["status"], "completed");
  EXPECT_EQ(directory.read("part/nuts/kappa.csv"), directory.read("whole/nuts/kappa.csv"));
}

/// Starts the program, and waits until its standard error, in a file, has these words, or it has ended.
pid_t start_until_it_says(const std::string& words, std::vector<std::string> arguments, const fs::path& directory) {
  const fs::path said = directory / "stderr.txt";
  fs::remove(said);
  const int before = dup(STDERR_FILENO);
  EXPECT_NE(std::freopen(said.c_str(), "w", stderr), nullptr);
  const pid_t child = start_until(said, arguments, directory);
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  siginfo_t ended{};
  const auto has_said = [&] {
    std::ifstream file(said);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.find(words) != std::string::npos;
  };
  while (!has_said() && waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0)
    sched_yield();
  return child;
}

TEST(Run, InterruptedInAFitItKeepsTheLastIteration) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  // Fits that would go on for hours
  const std::vector<std::string> endless = {"--set", "method.fit.tolerance=1e-12", "--set",
                                            "method.fit.max_iterations=1000000"};
  for (const char* method : {"fcvb", "pmvb", "mfvb", "low_rank", "auto"}) {
    SCOPED_TRACE(method);
    std::vector<std::string> arguments = {"run", "a/problem.toml", "-m", method, "-v", "-o", "out", "--force"};
    arguments.insert(arguments.end(), endless.begin(), endless.end());
    const pid_t running = start_until_it_says("iteration    5  ELBO", arguments, directory.path());
    EXPECT_EQ(end_by(SIGINT, running), 3);
    const auto found = summary(directory.path() / "out" / method);
    EXPECT_EQ(found["status"], "interrupted");
    EXPECT_THAT(found["message"].get<std::string>(), HasSubstr("stopped on request"));
    EXPECT_TRUE(fs::exists(directory.path() / "out" / method / "kappa.csv"));
    EXPECT_FALSE(fs::exists(directory.path() / "out/lock"));
  }
}

TEST(Run, ResumesChainsBesideWhatALossOfPowerLeftOfTheirResult) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  const std::string command = "run a/problem.toml -m laplace,nuts -q -o out --set method.chains.draws=100";
  ASSERT_EQ(run_program(command, directory.path()).exit_code, 0);
  const std::string kappa = directory.read("out/nuts/kappa.csv"), whole = directory.read("out/nuts/summary.json");
  for (const auto& [file, rest] : {std::pair<std::string, std::string>{"summary.json", ""},
                                   {"summary.json", whole.substr(0, whole.size() / 2)},
                                   {"summary.json", std::string(whole.size(), '\0')},
                                   {"posterior.nc", ""}}) {
    directory.write("out/nuts/" + file, rest);
    directory.write("out/laplace/" + file, rest);
    directory.write("out/nuts/.posterior.nc.1-0.tmp", "cut off");
    const auto output = run_program(command + " --resume", directory.path());
    EXPECT_EQ(output.exit_code, 0) << output.text;
    EXPECT_EQ(summary(directory.path() / "out/nuts")["status"], "completed");
    EXPECT_EQ(summary(directory.path() / "out/laplace")["status"], "converged");
    EXPECT_EQ(directory.read("out/nuts/kappa.csv"), kappa);
    EXPECT_FALSE(fs::exists(directory.path() / "out/nuts/.posterior.nc.1-0.tmp"));
  }
  // What another version wrote is not taken for broken.
  auto newer = summary(directory.path() / "out/nuts");
  newer["schema"] = 99;
  directory.write("out/nuts/summary.json", newer.dump());
  EXPECT_EQ(run_program(command + " --resume", directory.path()).exit_code, 2);
}

TEST(Run, KeepsIgnoringWhatItsParentIgnores) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  const auto handler = std::signal(SIGHUP, SIG_IGN);  // as nohup does
  const pid_t running =
      start_until(directory.path() / "out/nuts/chains",
                  {"run", "a/problem.toml", "-m", "nuts", "-q", "-o", "out", "--set", "method.chains.draws=1000000"},
                  directory.path());
  std::signal(SIGHUP, handler);
  const auto mask = [&](const std::string& name) {
    std::ifstream status("/proc/" + std::to_string(running) + "/status");
    std::string line;
    while (std::getline(status, line) && !line.starts_with(name)) {
    }
    return std::stoull(line.substr(name.size()), nullptr, 16);
  };
  const auto bit = [](int signal) { return 1ULL << (signal - 1); };
  EXPECT_TRUE(mask("SigIgn:") & bit(SIGHUP));
  EXPECT_FALSE(mask("SigCgt:") & bit(SIGHUP));
  EXPECT_TRUE(mask("SigCgt:") & bit(SIGINT));
  EXPECT_EQ(end_by(SIGINT, running), 3);
}

TEST(Run, ProblemMayFollowTheMethods) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  EXPECT_EQ(run_program("run --method mfvb laplace a/problem.toml", directory.path()).exit_code, 0);
  EXPECT_TRUE(fs::exists(directory.path() / "a/problem-results/laplace/summary.json"));
}

TEST(Predict, WritesAnotherLoadInTheSameFormats) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  ASSERT_EQ(run_program("run a/problem.toml -m fcvb -q", directory.path()).exit_code, 0);
  directory.write(
      "load.toml",
      "[mesh]\nkind = \"interval\"\ncells = 32\n[equation]\nsource = \"10 * x\"\n[boundary]\nleft = { dirichlet = 1 "
      "}\n[quantities]\nin = { flux = \"left\" }\n");
  const auto output = run_program("predict a/problem-results load.toml", directory.path());
  ASSERT_EQ(output.exit_code, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("load-predictions/report.html"));
  const auto json = summary(directory.path() / "load-predictions/fcvb");
  // What goes in goes out: the flux out on the left is the integral of the source, 5, whatever kappa is.
  EXPECT_NEAR(json["quantities"][0]["mean"], 5, 1e-9);
  EXPECT_TRUE(fs::exists(directory.path() / "load-predictions/fcvb/posterior.nc"));
  EXPECT_EQ(run_program("predict a/problem-results/fcvb load.toml --draws 50 --force -q", directory.path()).exit_code,
            0);
  EXPECT_THAT(directory.read("load-predictions/report.html"), HasSubstr("inferred before, in"));
  EXPECT_THAT(run_program("predict a/problem-results load.toml -o a/problem-results --force", directory.path()).text,
              HasSubstr("holds the inference: expected another directory"));
  // Predictions and inferences are not put side by side.
  EXPECT_THAT(run_program("report a/problem-results load-predictions -o both.html", directory.path()).text,
              HasSubstr("expected a result that can stand beside a/problem-results, but their measurements differ"));
}

TEST(Predict, WritesNothingOutsideItsDirectory) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  ASSERT_EQ(run_program("run a/problem.toml -m laplace -q -o out", directory.path()).exit_code, 0);
  auto changed = summary(directory.path() / "out/laplace");
  changed["method"] = "../outside";
  directory.write("out/laplace/summary.json", changed.dump());
  const auto output = run_program("predict out a/problem.toml -o predicted", directory.path());
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.text,
            "varimesh: out/laplace/summary.json: method: expected a name of letters, digits, '_', '-', found "
            "'../outside'\n");
  EXPECT_EQ(directory.list(), (std::vector<std::string>{"a", "out"}));
}

TEST(Report, IsRebuiltAndCombined) {
  const ScratchDirectory directory;
  ASSERT_EQ(run_program("new 1d --out a", directory.path()).exit_code, 0);
  ASSERT_EQ(run_program("run a/problem.toml -m pmvb -q -o one", directory.path()).exit_code, 0);
  ASSERT_EQ(run_program("run a/problem.toml -m pmvb,fcvb -q -o two --seed 2", directory.path()).exit_code, 0);
  const auto output = run_program("report one two --out both.html", directory.path());
  ASSERT_EQ(output.exit_code, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("PMVB (two)"));
  EXPECT_THAT(directory.read("both.html"), HasSubstr("PMVB (two)"));
  fs::remove(directory.path() / "one/report.html");
  ASSERT_EQ(run_program("report one", directory.path()).exit_code, 0);
  EXPECT_TRUE(fs::exists(directory.path() / "one/report.html"));
}

class EveryTemplate : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryTemplate, testing::Values("1d", "2d", "3d", "gmsh", "benchmark"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(EveryTemplate, IsReadyToRun) {
  const ScratchDirectory directory;
  const std::string kind = GetParam();
  ASSERT_EQ(run_program("new " + kind, directory.path()).exit_code, 0);
  const auto output =
      run_program("run " + kind + "/problem.toml --method laplace --set method.draws=50 -o results", directory.path());
  ASSERT_EQ(output.exit_code, 0) << output.text;
  EXPECT_TRUE(fs::exists(directory.path() / "results/report.html"));
}

TEST(Documentation, CompletesAndExplainsEveryCommand) {
  const ScratchDirectory directory;
  const std::string man = run_program("man", directory.path()).text;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = run_program(std::string("completion ") + shell, directory.path()).text;
    for (const char* word :
         {"run", "predict", "report", "new", "check", "evaluate", "simulate", "calibrate", "resume", "pmvb"})
      EXPECT_THAT(script, HasSubstr(word)) << shell;
  }
  for (const char* word : {"varimesh run", "varimesh predict", "\\-\\-resume", "KEY=VALUE", "EXIT STATUS"})
    EXPECT_THAT(man, HasSubstr(word));
  // bash takes its script.
  const std::string check = "bash -c 'source <(\"" + test::program() +
                            "\" completion bash) && COMP_WORDS=(varimesh run --res) COMP_CWORD=2 && _varimesh && echo "
                            "\"${COMPREPLY[0]}\"'";
  std::FILE* pipe = popen(check.c_str(), "r");
  char line[64] = {};
  EXPECT_NE(std::fgets(line, sizeof line, pipe), nullptr);
  pclose(pipe);
  EXPECT_STREQ(line, "--resume\n");
}

}  // namespace
}  // namespace varimesh
