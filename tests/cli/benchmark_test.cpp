// The five published cases of the Aristoff-Bangerth benchmark, through the shipped problem file and the program.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "varimesh/io/csv.h"

namespace varimesh {
namespace {

const std::filesystem::path source = VARIMESH_SOURCE_DIR;

class PublishedCase : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(AristoffBangerth, PublishedCase, testing::Range(0, 5));

TEST_P(PublishedCase, IsReproducedThroughTheProgram) {
  const auto row = static_cast<std::size_t>(GetParam());
  const auto data = source / "tests/data/aristoff-bangerth";
  const io::CsvTable inputs = io::read_csv(data / "test_inputs.csv"), z = io::read_csv(data / "test_z.csv"),
                     logs = io::read_csv(data / "test_logs.csv");

  const test::ScratchDirectory directory;
  std::vector<std::vector<double>> theta(1);
  for (int block = 0; block < 64; ++block) theta[0].push_back(inputs.column(fmt::format("theta{}", block))[row]);
  directory.write("theta.csv", io::format_csv({"theta"}, theta));

  const auto problem = source / "examples/aristoff-bangerth/problem.toml";
  const test::Output output =
      test::run_program("evaluate '" + problem.string() + "' --kappa theta.csv --json --out result", directory.path());
  ASSERT_EQ(output.exit_code, 0) << output.text;
  const auto json = nlohmann::json::parse(output.text);
  EXPECT_NEAR(json["log_likelihood_without_constant"], logs.column("loglikelihood")[row], 1e-7);

  const io::CsvTable predictions = io::read_csv(directory.path() / "result/predictions.csv");
  for (std::size_t k = 0; k < 169; ++k) {
    const double published = z.column(fmt::format("z{}", k))[row];
    EXPECT_NEAR(json["predictions"][k], published, 1e-9);
    EXPECT_NEAR(predictions.column("predicted")[k], published, 1e-9);
  }
}

}  // namespace
}  // namespace varimesh
