#include "varimesh/run/design.h"

#include <gmock/gmock.h>

#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/run/evidence.h"
#include "varimesh/run/simulate.h"

namespace varimesh::run {
namespace {

using testing::HasSubstr;

const std::string problem_text = R"toml(
[mesh]
kind = "interval"
cells = 16
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 0 }
[observations]
data = "data.csv"
sensors = "sensors.csv"
sigma = 0.002
[prior]
kind = "gaussian_process"
length_scale = 0.2
[quantities]
middle = { value = [0.5] }
)toml";

/// Data at two points near the left end.
struct LeftEnd {
  test::ScratchDirectory directory;
  Config config;
  Problem problem;

  LeftEnd() {
    directory.write("sensors.csv", "x\n0.1\n0.2\n");
    config = parse_config(problem_text, directory.path() / "problem.toml");
    const Problem empty = build_problem(config, Data::ignored);
    directory.write("data.csv", format_data(empty, simulate(config, empty, {3, std::nullopt, 0})));
    problem = build_problem(config, Data::required);
  }
  Design choose(const DesignOptions& options) const {
    const io::CsvTable candidates = io::parse_csv("x\n0.1\n0.2\n0.5\n0.8\n0.9\n", "candidates.csv");
    return choose_sensors(config, problem, candidates, options);
  }
};

TEST(Design, MeasuresWhereNothingIsKnownYet) {
  const LeftEnd c;
  const Design design = c.choose({.choose = 2});
  ASSERT_EQ(design.sensors.chosen.size(), 2U);
  EXPECT_GE(design.sensors.chosen[0], 2);  // not where there are data
  EXPECT_GT(design.sensors.gains[0], design.sensors.gains[1]);
  EXPECT_DOUBLE_EQ(design.sensors.alone[design.sensors.chosen[0]], design.sensors.gains[0]);
  EXPECT_THAT(design.basis, HasSubstr("a fit to the data of 2 sensors"));
}

TEST(Design, ForAQuantityMeasuresIt) {
  const LeftEnd c;
  const Design design = c.choose({.choose = 3, .quantity = "middle"});
  EXPECT_EQ(design.sensors.chosen[0], 2);  // u(0.5) itself
  // After a reading with noise 0.002 of what it is, its sd is that or less.
  EXPECT_LE(design.sensors.variance[1], 0.002 * 0.002);
  EXPECT_GT(design.sensors.variance[0], design.sensors.variance[1]);
}

TEST(Design, FromThePriorForgetsTheData) {
  const LeftEnd c;
  const Design before = c.choose({.choose = 5, .from_prior = true}), after = c.choose({.choose = 5});
  EXPECT_GT(before.sensors.alone[0], 2 * after.sensors.alone[0]);
  EXPECT_EQ(before.sensors.chosen.size(), 5U);
}

TEST(Design, IsWrittenAsATableAndAPage) {
  const LeftEnd c;
  const DesignOptions options{.choose = 2};
  const Design design = c.choose(options);
  EXPECT_THAT(format_design(design, 1), testing::StartsWith("x,sigma,rank,gain,gain_alone\n"));
  EXPECT_THAT(format_design_page(c.config, c.problem, design, options),
              testing::AllOf(HasSubstr("2 sensors chosen from 5 candidates"), HasSubstr("<svg")));
}

TEST(Design, RefusesAQuantityThatThereIsNot) {
  const LeftEnd c;
  EXPECT_INPUT_ERROR(c.choose({.quantity = "midle"}), "--quantity: expected one of 'middle', found 'midle'");
}

TEST(Evidence, IsThatOfTheSamePriorTwice) {
  const LeftEnd c;
  const auto evidence = compare_evidence({{"one", c.config}, {"two", c.config}}, 1);
  ASSERT_EQ(evidence.size(), 2U);
  EXPECT_DOUBLE_EQ(evidence[0].probability, 0.5);
  EXPECT_DOUBLE_EQ(evidence[0].bound.value, evidence[1].bound.value);
  EXPECT_THAT(describe_evidence(evidence), HasSubstr("hardly more than"));
}

}  // namespace
}  // namespace varimesh::run
