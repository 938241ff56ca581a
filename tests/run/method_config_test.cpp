#include "varimesh/run/method_config.h"

#include <gtest/gtest.h>

#include "expect_input_error.h"
#include "varimesh/run/config.h"

namespace varimesh::run {
namespace {

const std::string mesh = "[mesh]\nkind = \"interval\"\ncells = 4\n";

Config parse(const std::string& text, const std::vector<Override>& overrides = {}) {
  return parse_config(mesh + text, "problem.toml", overrides);
}

TEST(MethodConfig, HasSensibleDefaults) {
  const MethodConfig method = parse("").method;
  EXPECT_TRUE(method.use.empty());
  EXPECT_EQ(method.seed, 1U);
  EXPECT_FALSE(method.draws);
  EXPECT_FALSE(method.sensitivity);
  EXPECT_FALSE(method.fit.optimizer);
  EXPECT_FALSE(method.chains.scale);
}

TEST(MethodConfig, ReadsEveryKeyBack) {
  const MethodConfig method = parse(R"toml(
[method]
use = ["mixture", "pcn"]
seed = 1000000000000000
draws = 250
sensitivity = false
[method.fit]
optimizer = "adam"
tolerance = 0.2
samples = 7
max_iterations = 1234
learning_rate = 0.03
neighbours = 0
pattern = "band"
components = 3
first_derivatives_only = true
[method.chains]
chains = 2
draws = 50
thin = 3
warmup = 0
scale = "refined_fit"
step = 0.5
target_acceptance = 0.9
leapfrog_steps = 12
max_depth = 8
)toml")
                                  .method;
  EXPECT_EQ(method.use, (std::vector{Method::mixture, Method::pcn}));
  EXPECT_EQ(method.seed, 1'000'000'000'000'000U);
  EXPECT_EQ(method.draws, 250);
  EXPECT_EQ(method.sensitivity, false);
  EXPECT_EQ(method.fit.optimizer, FitConfig::Optimizer::adam);
  EXPECT_EQ(method.fit.tolerance, 0.2);
  EXPECT_EQ(method.fit.samples, 7);
  EXPECT_EQ(method.fit.max_iterations, 1234);
  EXPECT_EQ(method.fit.learning_rate, 0.03);
  EXPECT_EQ(method.fit.neighbours, 0);
  EXPECT_EQ(method.fit.pattern, FitConfig::Pattern::band);
  EXPECT_EQ(method.fit.components, 3);
  EXPECT_TRUE(method.fit.first_derivatives_only);
  EXPECT_EQ(method.chains.chains, 2);
  EXPECT_EQ(method.chains.draws, 50);
  EXPECT_EQ(method.chains.thin, 3);
  EXPECT_EQ(method.chains.warmup, 0);
  EXPECT_EQ(method.chains.scale, ChainsConfig::Scale::refined_fit);
  EXPECT_EQ(method.chains.step, 0.5);
  EXPECT_EQ(method.chains.target_acceptance, 0.9);
  EXPECT_EQ(method.chains.leapfrog_steps, 12);
  EXPECT_EQ(method.chains.max_depth, 8);
}

TEST(MethodConfig, NamesTheKeyAtFault) {
  const auto error = [](const std::string& text) { return test::input_error([&] { parse(text); }); };
  EXPECT_EQ(
      error("[method]\nuse = \"nutz\""),
      "problem.toml:5: method.use: expected one of 'auto', 'low_rank', 'fcvb', 'pmvb', 'mfvb', 'laplace', 'mixture', "
      "'nuts', 'hmc', "
      "'pcn', found 'nutz'; did you mean 'nuts'?");
  EXPECT_EQ(error("[method]\nuse = [\"hmc\", \"hmc\"]"),
            "problem.toml:5: method.use[1]: expected every method once, found 'hmc' twice");
  EXPECT_EQ(error("[method]\nseed = -1"),
            "problem.toml:5: method.seed: expected an integer from 0 to 1000000000000000, found -1");
  EXPECT_EQ(error("[method.chains]\ntarget_acceptance = 1"),
            "problem.toml:5: method.chains.target_acceptance: expected a number between 0 and 1, found 1");
  EXPECT_EQ(error("[method.fit]\nfirst_derivatives_only = 1"),
            "problem.toml:5: method.fit.first_derivatives_only: expected true or false, found an integer");
  EXPECT_EQ(error("[method.fit]\nsample = 4"),
            "problem.toml:5: method.fit.sample: unknown key; did you mean 'samples'?");
}

TEST(Override, GoesBeforeTheFile) {
  const std::string text = "[method]\nseed = 3\n[prior]\nkind = \"spde\"\nrange = 1\n";
  const Config config = parse(text, {{"method.seed", "7"},
                                     {"method.use", "[\"hmc\", \"pcn\"]"},
                                     {"prior.range", "0.25"},
                                     {"labels.title", "a plain title"},
                                     {"boundary.left", "{ dirichlet = 2 }"}});
  EXPECT_EQ(config.method.seed, 7U);
  EXPECT_EQ(config.method.use, (std::vector{Method::hmc, Method::pcn}));
  EXPECT_EQ(std::get<SpdePriorConfig>(config.prior->value).range, 0.25);
  EXPECT_EQ(config.labels.title, "a plain title");
  ASSERT_EQ(config.boundaries.size(), 1U);
  EXPECT_EQ(std::get<double>(config.boundaries[0].value.value), 2);
}

TEST(Override, IsNamedInErrors) {
  const std::string text = "[method]\nseed = 3\n";
  EXPECT_INPUT_ERROR(parse(text, {{"method.seed", "\"x\""}}), "--set method.seed: expected an integer, found a string");
  EXPECT_INPUT_ERROR(parse(text, {{"method.use", "[\"hmc\", \"hmc\"]"}}),
                     "--set method.use[1]: expected every method once, found 'hmc' twice");
  EXPECT_INPUT_ERROR(parse(text, {{"method.sed", "1"}}), "--set method.sed: unknown key; did you mean 'seed'?");
  EXPECT_INPUT_ERROR(parse(text, {{"method.seed.x", "1"}}),
                     "--set 'method.seed.x': expected a table at 'seed', found a value");
  for (const char* key : {"", "method.", ".seed", "method..seed"})
    EXPECT_INPUT_ERROR(parse(text, {{key, "1"}}),
                       std::string("--set '") + key + "': expected a key such as method.seed");
}

TEST(Digest, DependsOnTheProblemAndNotOnMethodOrLayout) {
  const auto digest = [](const std::string& text) { return parse(text).digest; };
  const std::string text = "[equation]\nsource = 1\n";
  EXPECT_EQ(digest(text), digest("# a comment\n[equation]\n\nsource  =  1\n"));
  EXPECT_EQ(digest(text), digest(text + "[method]\nseed = 5\n[labels]\ntitle = \"x\"\n"));
  EXPECT_NE(digest(text), digest("[equation]\nsource = 2\n"));
}

}  // namespace
}  // namespace varimesh::run
