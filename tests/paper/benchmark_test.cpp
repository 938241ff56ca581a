#include "varimesh/paper/benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/paper/files.h"
#include "varimesh/random.h"

namespace varimesh::paper {
namespace {

/// Two chains of independent draws of log-normal theta with mean one.
result::Draws draws_of(Index unknowns) {
  constexpr Index draws = 500;
  constexpr double sd = 0.5;
  std::vector<std::shared_ptr<const result::ChainDraws>> chains;
  for (const std::uint64_t chain : {1, 2}) {
    Random random(chain);
    std::vector<double> records(static_cast<std::size_t>(draws * result::record_length(unknowns)));
    for (double& x : records) x = sd * random.normal() - 0.5 * sd * sd;
    chains.push_back(std::make_shared<result::MemoryDraws>(std::move(records)));
  }
  return {unknowns, std::move(chains)};
}

TEST(BenchmarkTheta, PublishedMeansAreReadForThe36PairsOfBlocks) {
  const std::vector<ThetaPair> pairs = compare_theta(benchmark_reference(), draws_of(64));
  ASSERT_EQ(pairs.size(), 36);
  EXPECT_EQ(pairs[0].block, 0);
  EXPECT_DOUBLE_EQ(pairs[0].published, 76.3181);
  EXPECT_EQ(pairs[1].block, 1);
  EXPECT_DOUBLE_EQ(pairs[1].published, 1.211165);
  EXPECT_EQ(pairs.back().block, 63);
}

TEST(BenchmarkTheta, MeansOfMirroredBlocksAreAveragedWithTheirError) {
  const std::vector<ThetaPair> pairs =
      compare_theta("index,mean_theta,pair_reldiff\n0,1,0\n1,1,0\n2,1,0\n3,5,0\n", draws_of(4));
  ASSERT_EQ(pairs.size(), 3);
  const double sd = std::sqrt(std::exp(0.25) - 1);
  EXPECT_NEAR(pairs[0].ours.error, sd / std::sqrt(1000.0), 0.2 * pairs[0].ours.error);
  EXPECT_NEAR(pairs[1].ours.error, sd / std::sqrt(2000.0), 0.2 * pairs[1].ours.error);
  EXPECT_LT(std::abs(pairs[0].off()), 4);
  EXPECT_LT(std::abs(pairs[1].off()), 4);
  EXPECT_LT(pairs[2].off(), -4);
}

TEST(BenchmarkTheta, FindingsNameThePairsBeyondTwoStandardErrorsOfBoth) {
  const std::vector<ThetaPair> pairs = {
      {0, 1, 0, {0.9, 0.06}}, {1, 2, 0.08, {1.8, 0.07}}, {3, 7, 0, {3.5, 0.5}}};  // 1.7, 1.9 and 7 errors
  EXPECT_THAT(theta_findings(pairs), testing::HasSubstr("Of 3 pairs of blocks, 2 agree"));
  EXPECT_THAT(theta_findings(pairs), testing::HasSubstr("The others: block 3 (3.5, published 7, 7.0 errors)."));
}

TEST(BenchmarkTheta, MeansOfAnotherNumberOfBlocksAreRefused) {
  const auto message = test::input_error([] { compare_theta(benchmark_reference(), draws_of(4)); });
  EXPECT_THAT(message, testing::HasSubstr("found 64 means and 4 blocks"));
}

TEST(Benchmark, AShortRunMakesAChapter) {
  const test::ScratchDirectory scratch;
  StudyOptions options;
  options.directory = scratch.path();
  options.adam_steps = 100;
  const Chapter chapter = benchmark_with(options, {{"method.fit.tolerance", "100"},
                                                   {"method.draws", "100"},
                                                   {"method.chains.draws", "50"},
                                                   {"method.chains.warmup", "20"},
                                                   {"method.chains.leapfrog_steps", "4"}});
  EXPECT_EQ(chapter.id, "benchmark");
  EXPECT_EQ(chapter.claims.size(), 3);
  EXPECT_TRUE(chapter.meshes.contains("benchmark"));
  for (const Evidence& evidence : chapter.evidence) EXPECT_THAT(evidence.ours, testing::StartsWith("Benchmark: "));
  std::set<std::string> anchors;
  for (const Json& block : chapter.blocks) {
    if (block.contains("id")) anchors.insert(block["id"]);
  }
  for (const Claim& claim : chapter.claims) {
    for (const std::string& figure : claim.figures) EXPECT_TRUE(anchors.contains(figure)) << figure;
  }
}

}  // namespace
}  // namespace varimesh::paper
