// 'varimesh reproduce' as a user types it; the experiments themselves are tested in tests/paper.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/program.h"

namespace varimesh {
namespace {

using test::run_program;
using test::ScratchDirectory;
using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Reproduce, WritesOneExperimentAsAPageAndSaysWhatHolds) {
  const ScratchDirectory directory;
  const auto output = run_program("reproduce bimodal --out results", directory.path());
  ASSERT_EQ(output.exit_code, 0) << output.text;
  for (const char* word : {"The paper's conclusions", "multimodal", "report   results/bimodal.html"})
    EXPECT_THAT(output.text, HasSubstr(word));
  EXPECT_TRUE(fs::is_regular_file(directory.path() / "results/bimodal.html"));
  EXPECT_TRUE(fs::is_regular_file(directory.path() / "results/bimodal/numbers.json"));

  // Other commands open what it has computed.
  const auto report = run_program("report results/bimodal", directory.path());
  EXPECT_EQ(report.exit_code, 0) << report.text;
  for (const char* word : {"mixture in one mode", "one normal", "log_u_R", "results/bimodal/report.html"})
    EXPECT_THAT(report.text, HasSubstr(word));
  directory.write("load.toml",
                  "mesh = { kind = \"interval\", cells = 32 }\n"
                  "coefficient = { per = \"block\", blocks = [1] }\n"
                  "equation = { source = 1 }\n"
                  "boundary = { left = { dirichlet = 0 }, right = { dirichlet = 1 } }\n"
                  "quantities = { outflow = { flux = \"left\" } }\n");
  const auto prediction = run_program("predict results/bimodal/mixture load.toml", directory.path());
  EXPECT_EQ(prediction.exit_code, 0) << prediction.text;
  EXPECT_THAT(prediction.text, HasSubstr("outflow"));
}

TEST(Reproduce, RefusesWhatItDoesNotKnow) {
  const ScratchDirectory directory;
  const auto output = run_program("reproduce poisson2d", directory.path());
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.text,
            "varimesh: reproduce: expected one of 'all', 'poisson-1d', 'poisson-2d', 'benchmark', 'bimodal', found "
            "'poisson2d'; did you mean 'poisson-2d'?\n");
  EXPECT_EQ(run_program("reproduce --seeds 0", directory.path()).exit_code, 2);
  EXPECT_EQ(run_program("reproduce bimodal --out ''", directory.path()).exit_code, 2);
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

}  // namespace
}  // namespace varimesh
