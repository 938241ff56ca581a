#include "varimesh/run/size_checks.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "../expect_input_error.h"
#include "varimesh/run/configured_problem.h"

namespace varimesh::run {
namespace {

using testing::HasSubstr;

Config config_of(const std::string& cells, const std::string& rest) {
  return parse_config(
      "[mesh]\nkind = \"rectangle\"\ncells = " + cells + "\n[boundary]\nleft = { dirichlet = 0 }\n" + rest,
      "problem.toml");
}

/// The most memory this process has had, in bytes.
double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

TEST(SizeChecks, DensePriorsOnManyCellsAreRefusedBeforeTheMeshIsMade) {
  const std::string prior = "[prior]\nkind = \"gaussian_process\"\nsigma = 1\nlength_scale = 0.1\n";
  const double before = peak_bytes();
  EXPECT_INPUT_ERROR(build_problem(config_of("[5000, 5000]", prior), Data::required),
                     "problem.toml:6: prior: a Gaussian process is dense and takes at most 20000 unknowns, found "
                     "50000000: take the prior of kind 'spde', or group cells into blocks");
  EXPECT_LT(peak_bytes() - before, 100e6);
  EXPECT_INPUT_ERROR(build_problem(config_of("[200, 200]", prior + "[coefficient]\nper = \"node\"\n"), Data::required),
                     "problem.toml:6: prior: a Gaussian process is dense and takes at most 20000 unknowns, found "
                     "40401: take the prior of kind 'spde', or group cells into blocks");
  EXPECT_NO_THROW(require_prior_size(config_of("[100, 100]", prior)));
  EXPECT_NO_THROW(
      require_prior_size(config_of("[500, 500]", prior + "[coefficient]\nper = \"block\"\nblocks = [4, 4]\n")));
  EXPECT_NO_THROW(build_problem(config_of("[150, 150]", prior), Data::ignored));  // for which no prior is made
}

TEST(SizeChecks, PredictionsThatMemoryCannotHoldAreRefusedBeforeTheMethodRuns) {
  const Config config = config_of("[4, 3]", "[observations]\nsensors = \"nodes\"\n[method]\ndraws = 100000000\n");
  const Problem problem = build_problem(config, Data::ignored);
  const ConfiguredProblem configured(config, problem);
  EXPECT_THAT(test::input_error([&] { require_prediction_size(config.method, configured, Method::pmvb); }),
              HasSubstr("predictions of 20 sensors for 100000000 draws need about 48.0 GB of memory"));
  EXPECT_EQ(test::input_error([&] { require_prediction_size(config.method, configured, Method::nuts); }), "");
}

}  // namespace
}  // namespace varimesh::run
