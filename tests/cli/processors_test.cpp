// The answer of a run does not depend on the processors of the machine.
#include <gmock/gmock.h>
#include <sched.h>

#include "cli/program.h"

namespace varimesh {
namespace {

using test::run_program;

/// While it lives, this process and those that it starts have one processor.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof all_, &all_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &all_)) CPU_SET(cpu, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof all_, &all_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

  bool is_fewer() const { return CPU_COUNT(&all_) > 1; }

 private:
  cpu_set_t all_;
};

TEST(Run, GivesTheSameOnOneProcessorAsOnSeveral) {
  const test::ScratchDirectory directory;
  directory.write("problem.toml", R"([mesh]
kind = "rectangle"
cells = [18, 18]
[equation]
source = 1.0
[boundary]
left = { dirichlet = 0.0 }
[observations]
data = "data.csv"
sigma = 0.01
[prior]
kind = "gaussian_process"
length_scale = 0.3
sigma = 0.5
)");
  directory.write("data.csv", "x,y,value\n0.5,0.5,0.4\n0.75,0.25,0.45\n0.25,0.75,0.2\n");
  const std::string command = "run problem.toml -m laplace -q -o ";
  const auto several = run_program(command + "several", directory.path());
  ASSERT_EQ(several.exit_code, 0) << several.text;
  const OneProcessor one;
  if (!one.is_fewer()) GTEST_SKIP() << "there is one processor only";
  ASSERT_EQ(run_program(command + "one", directory.path()).exit_code, 0);
  EXPECT_EQ(directory.read("one/laplace/kappa.csv"), directory.read("several/laplace/kappa.csv"));
}

}  // namespace
}  // namespace varimesh
