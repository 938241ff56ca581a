#include "varimesh/mcmc/run_chains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "../expect_input_error.h"
#include "../paper_problems.h"
#include "../scratch_directory.h"
#include "run_cases.h"
#include "varimesh/mcmc/run_directory.h"
#include "varimesh/mcmc/run_progress.h"

namespace varimesh::mcmc {
namespace {

using result::Statistic;
using test::bytes_of;
using testing::ElementsAre;
using testing::HasSubstr;

class RunChains : public testing::Test {
 protected:
  const std::shared_ptr<const inverse::Posterior> posterior_ = test::small_posterior();
  const SamplerOptions nuts_{.warmup = 60};
};

using RunChainsThreads = RunChains;

TEST_F(RunChainsThreads, ThreadsDoNotMatter) {
  for (const auto& [name, sampler] : test::sampler_cases()) {
    const auto run = [&](int threads) {
      return run_chains(*posterior_, sampler, {.chains = 3, .draws = 20, .threads = threads});
    };
    const ChainsResult one = run(1);
    for (const int threads : {2, 5}) {
      const ChainsResult many = run(threads);
      EXPECT_EQ(bytes_of(many.draws), bytes_of(one.draws)) << name;
      EXPECT_EQ(many.counts, one.counts) << name;
    }
  }
}

TEST_F(RunChainsThreads, ThreadsAndStopsDoNotMatterForAPde) {
  const varimesh::test::PaperProblem problem = varimesh::test::paper_1d(0.3);
  const SamplerOptions sampler{.kernel = KernelKind::hmc, .warmup = 20, .leapfrog_steps = 3};
  RunOptions options{.chains = 3, .draws = 10};
  const ChainsResult expected = run_chains(*problem.posterior, sampler, options);
  const varimesh::test::ScratchDirectory directory;
  options.threads = 3;
  options.directory = directory.path();
  run_chains(*problem.posterior, sampler, options, [](const result::ChainProgress&) { return false; });
  options.resume = true;
  EXPECT_EQ(bytes_of(run_chains(*problem.posterior, sampler, options).draws), bytes_of(expected.draws));
}

TEST_F(RunChainsThreads, TheObserverIsCalledByOneThreadAtATimeAndHearsOfEveryPhase) {
  std::vector<result::ChainProgress> heard;  // not guarded: run_chains does that
  const RunOptions options{.chains = 4, .draws = 30, .thin = 2, .threads = 3};
  run_chains(*posterior_, nuts_, options, [&](const result::ChainProgress& progress) {
    heard.push_back(progress);
    return true;
  });
  for (Index c = 0; c < 4; ++c) {
    const auto of_chain = [&](bool warmup, Index transitions) {
      return std::ranges::count_if(heard, [&](const auto& progress) {
        return progress.chain == c && progress.warmup == warmup && progress.transitions == transitions;
      });
    };
    EXPECT_EQ(of_chain(true, 60), 1);
    EXPECT_EQ(of_chain(false, 120), 1);
  }
  for (const auto& progress : heard) {
    EXPECT_EQ(progress.total, 120);
    EXPECT_GT(progress.step, 0);
    EXPECT_TRUE(progress.acceptance > 0 && progress.acceptance <= 1);
    EXPECT_GE(progress.seconds_left, 0);
  }
  EXPECT_EQ(heard.back().seconds_left, 0);
}

TEST_F(RunChainsThreads, AnExceptionOfOneChainStopsTheRestAndLeavesThemResumable) {
  const varimesh::test::ScratchDirectory directory;
  RunOptions options{.chains = 3, .draws = 40, .threads = 2};
  const ChainsResult expected = run_chains(*posterior_, nuts_, options);
  options.directory = directory.path();
  options.checkpoint_seconds = 0;
  for (const int evaluations : {40, 300, 700}) {
    const auto failing = test::watched(posterior_, [&](long long count) {
      if (count == evaluations) throw std::runtime_error("licence server not found");
    });
    EXPECT_THROW(run_chains(failing, nuts_, options), std::runtime_error);
    options.resume = true;
  }
  const ChainsResult resumed = run_chains(*posterior_, nuts_, options);
  EXPECT_EQ(resumed.status, RunStatus::completed);
  EXPECT_EQ(bytes_of(resumed.draws), bytes_of(expected.draws));
}

TEST_F(RunChains, DurableCheckpointsHoldTheSameDraws) {
  const varimesh::test::ScratchDirectory directory;
  RunOptions options{.chains = 2, .draws = 20, .directory = directory.path(), .checkpoint_seconds = 1};
  run_chains(*posterior_, nuts_, options);
  options.draws = 40;
  options.resume = true;
  const ChainsResult resumed = run_chains(*posterior_, nuts_, options);
  EXPECT_EQ(bytes_of(resumed.draws), bytes_of(run_chains(*posterior_, nuts_, {.chains = 2, .draws = 40}).draws));
}

TEST_F(RunChains, ThinningKeepsTheLastOfSoManyTransitions) {
  const ChainsResult all = run_chains(*posterior_, nuts_, {.chains = 2, .draws = 30});
  const ChainsResult thinned = run_chains(*posterior_, nuts_, {.chains = 2, .draws = 10, .thin = 3});
  ASSERT_EQ(thinned.draws.num_draws(), 10);
  EXPECT_EQ(thinned.counts, all.counts);
  const Matrix all_steps = all.draws.statistic(Statistic::steps), steps = thinned.draws.statistic(Statistic::steps);
  for (Index c = 0; c < 2; ++c) {
    for (Index d = 0; d < 10; ++d) {
      EXPECT_EQ(thinned.draws.chain(c).col(d), all.draws.chain(c).col(3 * d + 2));
      EXPECT_EQ(steps(d, c), all_steps(3 * d + 2, c));
    }
  }
}

TEST_F(RunChains, EndsWhenItsDrawsAreEnoughAndGoesOnWhereItWasStopped) {
  std::vector<Index> looks;
  RunOptions options{.chains = 2, .draws = 2000, .seed = 7};
  options.enough = [&](const ChainsResult& so_far) {
    looks.push_back(so_far.draws.num_draws());
    return looks.back() >= 1000;
  };
  const ChainsResult early = run_chains(*posterior_, nuts_, options);
  EXPECT_THAT(looks, testing::ElementsAre(250, 500, 750, 1000));
  EXPECT_EQ(early.status, RunStatus::completed);
  EXPECT_EQ(early.draws.num_draws(), 1000);
  // The same as without looking, and as a run in a directory that was interrupted at some point.
  const ChainsResult whole = run_chains(*posterior_, nuts_, {.chains = 2, .draws = 1000, .seed = 7});
  const varimesh::test::ScratchDirectory directory;
  options.directory = directory.path();
  run_chains(*posterior_, nuts_, options, [](const result::ChainProgress& p) { return p.transitions < 460; });
  options.resume = true;
  looks.clear();
  const ChainsResult resumed = run_chains(*posterior_, nuts_, options);
  EXPECT_EQ(looks.back(), 1000);
  for (Index c = 0; c < 2; ++c) {
    EXPECT_EQ(early.draws.chain(c), whole.draws.chain(c));
    EXPECT_EQ(resumed.draws.chain(c), whole.draws.chain(c));
  }
}

TEST_F(RunChains, FilesHoldTheSameDrawsAsMemory) {
  const varimesh::test::ScratchDirectory directory;
  RunOptions options{.chains = 2, .draws = 50, .thin = 2, .threads = 2};
  const ChainsResult memory = run_chains(*posterior_, nuts_, options);
  options.directory = directory.path();
  const ChainsResult files = run_chains(*posterior_, nuts_, options);
  EXPECT_EQ(bytes_of(files.draws), bytes_of(memory.draws));
  EXPECT_EQ(files.message, "2 chains of 50 draws");
  EXPECT_THAT(directory.list(),
              ElementsAre("chain_0.checkpoint", "chain_0.draws", "chain_1.checkpoint", "chain_1.draws", "lock"));
}

TEST_F(RunChains, RecordsAndSummariesSayWhatTheChainDid) {
  const ChainsResult result = run_chains(*posterior_, nuts_, {.chains = 2, .draws = 40});
  const Matrix log_posterior = result.draws.statistic(Statistic::log_posterior);
  const Matrix log_likelihood = result.draws.statistic(Statistic::log_likelihood);
  const Vector kappa = result.draws.chain(1).col(17);
  EXPECT_NEAR(log_likelihood(17, 1), posterior_->likelihood().value(kappa), 1e-9);
  EXPECT_NEAR(log_posterior(17, 1), log_likelihood(17, 1) + posterior_->prior().log_density(kappa), 1e-9);
  for (Index c = 0; c < 2; ++c) {
    const ChainSummary& chain = result.chains[c];
    EXPECT_EQ(chain.warmup.size(), 60);
    EXPECT_NEAR(chain.acceptance, result.draws.statistic(Statistic::acceptance).col(c).mean(), 1e-12);
    EXPECT_EQ(chain.divergences, result.draws.statistic(Statistic::divergent).col(c).sum());
    EXPECT_GT(chain.e_bfmi, 0);
    EXPECT_GT(chain.step, 0);
  }
  EXPECT_EQ(result.counts.gradients, result.chains[0].counts.gradients + result.chains[1].counts.gradients);
  ASSERT_EQ(result.seconds.size(), 3);
  EXPECT_EQ(result.seconds[2].first, "total");
  const ChainsResult pcn = run_chains(*posterior_, {.kernel = KernelKind::pcn, .warmup = 20}, {.draws = 5});
  EXPECT_TRUE(std::isnan(pcn.chains[0].e_bfmi));
  EXPECT_TRUE(pcn.draws.statistic(Statistic::energy).array().isNaN().all());
}

TEST_F(RunChains, StartsWhereItIsTold) {
  const Matrix starts = Matrix::Constant(4, 2, 0.25);
  const SamplerOptions still{.kernel = KernelKind::random_walk, .warmup = 0, .step = 1e-12};
  const ChainsResult result = run_chains(*posterior_, still, {.chains = 2, .draws = 1, .starts = starts});
  EXPECT_LT((result.draws.spread(2) - starts).norm(), 1e-9);
}

TEST_F(RunChains, TheObserverStopsItAndTheDrawsSoFarAreReturned) {
  // Stopped by the first report after the warm-up, a tenth of a second later or so.
  const RunOptions endless{.chains = 2, .draws = 5'000'000, .threads = 2};
  const ChainsResult stopped =
      run_chains(*posterior_, nuts_, endless, [](const result::ChainProgress& progress) { return progress.warmup; });
  EXPECT_EQ(stopped.status, RunStatus::interrupted);
  EXPECT_THAT(stopped.message, HasSubstr("stopped when the shortest of 2 chains had "));
  for (Index c = 0; c < 2; ++c) ASSERT_LT(stopped.draws.num_draws(c), endless.draws);
  const Index draws = std::max(stopped.draws.num_draws(0), stopped.draws.num_draws(1));
  ASSERT_GT(draws, 0);
  const ChainsResult whole = run_chains(*posterior_, nuts_, {.chains = 2, .draws = draws, .threads = 2});
  for (Index c = 0; c < 2; ++c)
    EXPECT_EQ(stopped.draws.chain(c), whole.draws.chain(c).leftCols(stopped.draws.num_draws(c)));
}

TEST_F(RunChains, WithoutDrawsItOnlyWarmsUp) {
  const ChainsResult result = run_chains(*posterior_, nuts_, {.chains = 2, .draws = 0});
  EXPECT_EQ(result.status, RunStatus::completed);
  EXPECT_EQ(result.draws.num_draws(), 0);
  EXPECT_EQ(result.chains[1].warmup.size(), 60);
  EXPECT_TRUE(std::isnan(result.chains[1].acceptance));
}

TEST_F(RunChains, OptionsThatMakeNoSenseAreNamed) {
  const auto error = [&](const RunOptions& options) {
    return varimesh::test::input_error([&] { run_chains(*posterior_, nuts_, options); });
  };
  EXPECT_EQ(error({.chains = 0}), "expected 1 to 10000 chains, found 0");
  EXPECT_EQ(error({.draws = -1}), "expected 0 or more draws, found -1");
  EXPECT_EQ(error({.thin = 0}), "expected to keep one of 1 or more transitions, found 0");
  EXPECT_EQ(error({.threads = 0}), "expected 1 or more threads, found 0");
  EXPECT_EQ(error({.checkpoint_seconds = std::numeric_limits<double>::quiet_NaN()}),
            "expected 0 or more seconds between checkpoints, found nan");
  EXPECT_EQ(error({.draws = 1'000'000, .thin = 3000}),
            "1000000 draws with thinning 3000 take 3000000060 transitions, expected at most 2147483647");
  EXPECT_EQ(error({.chains = 100, .draws = 2'000'000}),
            "100 chains of 2000000 draws would take 18 GB of memory: give a directory for them, or keep fewer by "
            "thinning");
  EXPECT_EQ(error({.chains = 2, .starts = Matrix::Zero(4, 3)}),
            "expected starts of 4 unknowns for 2 chains, found 4 for 3");
  EXPECT_EQ(error({.chains = 2, .starts = Matrix::Constant(4, 2, std::nan(""))}), "expected finite starts");
  EXPECT_EQ(error({.resume = true}), "a run can only be resumed from a directory, but none is given");
}

TEST_F(RunChains, DirectoriesThatCannotBeUsedAreNamed) {
  const varimesh::test::ScratchDirectory temporary;
  const std::string name = temporary.path() / "run";
  const auto error = [&](bool resume, Index draws = 10) {
    return varimesh::test::input_error(
        [&] { run_chains(*posterior_, nuts_, {.chains = 1, .draws = draws, .directory = name, .resume = resume}); });
  };
  EXPECT_EQ(error(true), name + " holds no chains that could be resumed");
  EXPECT_FALSE(std::filesystem::exists(name));
  std::filesystem::create_directory(name);  // killed before it was locked
  EXPECT_EQ(error(true), "");
  std::filesystem::remove_all(name);
  {
    const RunDirectory killed_before_any_chain_began(name, false);
  }
  EXPECT_EQ(error(true), "");
  EXPECT_EQ(error(false), name + " already holds chains: resume them, or give another directory");
  EXPECT_EQ(error(true, 5), name + " holds 10 draws of chain 0, more than the 5 asked for");
  {
    const RunDirectory other(name, true);
    EXPECT_EQ(error(true), "another run is using " + name);
  }
  EXPECT_EQ(error(true), "");
  std::filesystem::resize_file(name + "/chain_0.draws", 500);
  EXPECT_EQ(error(true), name + "/chain_0.draws holds 4 whole draws, expected 10 or more");
  std::filesystem::remove(name + "/chain_0.checkpoint");
  EXPECT_EQ(error(true), name + "/chain_0.draws cannot be resumed: expected " + name + "/chain_0.checkpoint beside it");
  temporary.write("file", "");
  EXPECT_THAT(
      varimesh::test::input_error([&] { run_chains(*posterior_, nuts_, {.directory = temporary.path() / "file"}); }),
      HasSubstr("cannot make the directory"));
}

TEST(RunProgress, EstimatesTheTimeOfChainsThatWaitForAWorker) {
  // Two chains run, with 2 s and 4 s to go; the third needs 9 s as the others do on average, and begins after 2 s.
  const std::vector<ChainPace> chains = {{.left = 20, .done = 70, .seconds = 7, .running = true},
                                         {.left = 40, .done = 50, .seconds = 5, .running = true},
                                         {.left = 90}};
  EXPECT_NEAR(estimate_seconds_left(chains, 2), 11, 1e-12);
  EXPECT_NEAR(estimate_seconds_left(chains, 3), 9, 1e-12);
  EXPECT_EQ(estimate_seconds_left({{.left = 90}, {.left = 90}}, 1), 0);
  EXPECT_EQ(estimate_seconds_left({{.done = 90, .seconds = 1}}, 1), 0);
}

}  // namespace
}  // namespace varimesh::mcmc
