// Runs that are stopped and resumed end with the same draws, to the last bit, as runs that were not. Those that are
// killed run in another process, which kills itself at moments that a random generator chooses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "../expect_input_error.h"
#include "../file_size_limit.h"
#include "../scratch_directory.h"
#include "run_cases.h"
#include "varimesh/mcmc/run_chains.h"
#include "varimesh/random.h"

namespace varimesh::mcmc {
namespace {

using test::bytes_of;
using testing::HasSubstr;

class Resume : public testing::Test {
 protected:
  RunOptions options(const varimesh::test::ScratchDirectory& directory) const {
    RunOptions options = base_;
    options.directory = directory.path();
    options.checkpoint_seconds = 0;
    return options;
  }
  static void expect_same(const ChainsResult& found, const ChainsResult& expected) {
    EXPECT_EQ(found.status, RunStatus::completed);
    EXPECT_EQ(bytes_of(found.draws), bytes_of(expected.draws));
    EXPECT_EQ(found.counts, expected.counts);
    for (std::size_t c = 0; c < expected.chains.size(); ++c) {
      EXPECT_EQ(found.chains[c].step, expected.chains[c].step);
      EXPECT_EQ(found.chains[c].acceptance, expected.chains[c].acceptance);
      EXPECT_EQ(found.chains[c].warmup.size(), expected.chains[c].warmup.size());
      EXPECT_EQ(found.chains[c].scales.size(), expected.chains[c].scales.size());
      EXPECT_EQ(found.chains[c].scales.back().scale->variance(), expected.chains[c].scales.back().scale->variance());
    }
  }

  const std::shared_ptr<const inverse::Posterior> posterior_ = test::small_posterior();
  const RunOptions base_{.chains = 2, .draws = 40, .thin = 2};
};

TEST_F(Resume, AfterBeingKilledAgainAndAgainAtAnyEvaluation) {
  for (const auto& [name, sampler] : test::sampler_cases()) {
    SCOPED_TRACE(name);
    const ChainsResult expected = run_chains(*posterior_, sampler, base_);
    const auto evaluations = static_cast<double>(expected.counts.forward_solves);
    const varimesh::test::ScratchDirectory directory;
    RunOptions options = this->options(directory);
    options.threads = 2;
    Random random(1);
    int signal = SIGKILL, kills = 0;
    for (; signal == SIGKILL && kills < 100; options.resume = true) {
      const double last = evaluations / 4 * random.uniform();
      // Files are written between transitions: with longer waits between checkpoints they are out of step.
      options.checkpoint_seconds = kills % 3 == 2 ? 1e-4 : 0;
      signal = test::run_in_child([&] {
        run_chains(test::watched(posterior_,
                                 [&](long long count) {
                                   if (static_cast<double>(count) >= last) raise(SIGKILL);
                                 }),
                   sampler, options);
      });
      kills += signal == SIGKILL ? 1 : 0;
    }
    EXPECT_EQ(signal, 0);
    EXPECT_GT(kills, 2);
    expect_same(run_chains(*posterior_, sampler, options), expected);
  }
}

TEST_F(Resume, AfterBeingKilledInTheMiddleOfWriting) {
  for (const auto& [name, sampler] : test::sampler_cases()) {
    SCOPED_TRACE(name);
    const ChainsResult expected = run_chains(*posterior_, sampler, base_);
    const varimesh::test::ScratchDirectory directory;
    RunOptions options = this->options(directory);
    Random random(2);
    int kills = 0;
    for (int trial = 0; trial < 8; ++trial, options.resume = true) {
      // The system kills the process when a file, of draws or a checkpoint, would grow beyond this.
      const auto bytes = static_cast<rlim_t>(700.0 * (trial + random.uniform()));
      const int signal = test::run_in_child([&] {
        const rlimit no_core{0, 0}, limit{bytes, bytes};
        setrlimit(RLIMIT_CORE, &no_core);
        setrlimit(RLIMIT_FSIZE, &limit);
        run_chains(*posterior_, sampler, options);
      });
      EXPECT_TRUE(signal == SIGXFSZ || signal == 0);
      kills += signal == SIGXFSZ ? 1 : 0;
    }
    EXPECT_GT(kills, 2);
    expect_same(run_chains(*posterior_, sampler, options), expected);
    for (const std::string& file : directory.list()) EXPECT_FALSE(file.ends_with(".tmp")) << file;
  }
}

TEST_F(Resume, WithDrawsThatTheCheckpointDoesNotCount) {
  const SamplerOptions sampler{.warmup = 30};
  const ChainsResult expected = run_chains(*posterior_, sampler, base_);
  const varimesh::test::ScratchDirectory directory;
  RunOptions options = this->options(directory);
  options.draws = 10;
  run_chains(*posterior_, sampler, options);
  // As if killed after writing draws, and before the checkpoint that counts them.
  const auto file = directory.path() / "chain_1.draws";
  const std::string records = directory.read("chain_1.draws");
  std::ofstream(file, std::ios::app | std::ios::binary) << records.substr(64, 3 * 88 + 5);
  options.draws = base_.draws;
  options.resume = true;
  expect_same(run_chains(*posterior_, sampler, options), expected);
}

TEST_F(Resume, AfterAFullDisk) {
  const SamplerOptions sampler{.warmup = 30};
  const ChainsResult expected = run_chains(*posterior_, sampler, base_);
  for (const rlim_t bytes : {10, 1000, 2000, 3000}) {
    const varimesh::test::ScratchDirectory directory;
    RunOptions options = this->options(directory);
    {
      const varimesh::test::FileSizeLimit limit(bytes);
      const std::string error = varimesh::test::input_error([&] { run_chains(*posterior_, sampler, options); });
      EXPECT_THAT(error, HasSubstr("cannot write " + directory.path().string() + "/chain_0."));
      EXPECT_THAT(error, HasSubstr(": File too large"));
    }
    options.resume = true;
    expect_same(run_chains(*posterior_, sampler, options), expected);
  }
}

TEST_F(Resume, WhenSomeChainsAreDoneAndSomeHaveNotBegun) {
  const SamplerOptions sampler{.warmup = 30};
  RunOptions options = base_;
  options.chains = 4;
  const ChainsResult expected = run_chains(*posterior_, sampler, options);
  const varimesh::test::ScratchDirectory directory;
  options.directory = directory.path();
  const auto stop_in_chain_2 = [](const result::ChainProgress& progress) { return progress.chain < 2; };
  ChainsResult stopped = run_chains(*posterior_, sampler, options, stop_in_chain_2);
  EXPECT_EQ(stopped.status, RunStatus::interrupted);
  EXPECT_EQ(stopped.draws.num_draws(1), 40);
  EXPECT_EQ(stopped.draws.num_draws(2), 0);
  EXPECT_EQ(stopped.chains[2].warmup.size(), 30);
  EXPECT_TRUE(stopped.chains[3].warmup.empty());
  options.resume = true;
  // Stopped before it comes to chains that have draws already: they are returned all the same.
  const ChainsResult idle = run_chains(*posterior_, sampler, options, stop_in_chain_2);
  EXPECT_EQ(idle.draws.num_draws(0), 40);
  EXPECT_EQ(idle.chains[0].counts, expected.chains[0].counts);
  expect_same(run_chains(*posterior_, sampler, options), expected);
}

TEST_F(Resume, ForMoreDrawsAndMoreChains) {
  const SamplerOptions sampler{.warmup = 30};
  const varimesh::test::ScratchDirectory directory;
  RunOptions options = this->options(directory);
  for (Index round = 1; round <= 4; ++round, options.resume = true) {
    options.chains = round;
    options.draws = 10 * round;
    RunOptions in_memory = options;
    in_memory.directory.clear();
    in_memory.resume = false;
    expect_same(run_chains(*posterior_, sampler, options), run_chains(*posterior_, sampler, in_memory));
  }
}

TEST_F(Resume, OnAnotherPosteriorOrWithOtherSettingsIsRefused) {
  const SamplerOptions sampler{.warmup = 30};
  const varimesh::test::ScratchDirectory directory;
  RunOptions options = this->options(directory);
  run_chains(*posterior_, sampler, options);
  options.resume = true;
  const inverse::Posterior other(std::make_shared<test::Watched>(posterior_, [](long long) {}),
                                 std::make_shared<inverse::IndependentPrior>(Vector::Zero(4), Vector::Constant(4, 2)));
  EXPECT_THAT(varimesh::test::input_error([&] { run_chains(other, sampler, options); }),
              HasSubstr("chain 0 was not stopped on this posterior"));
  options.seed = 2;
  EXPECT_INPUT_ERROR(run_chains(*posterior_, sampler, options),
                     directory.path().string() + "/chain_0.checkpoint was made with seed 1, found 2");
}

/// Files of draws as a run left them, which somebody has changed since.
class ResumeAfterDamage : public Resume {
 protected:
  ResumeAfterDamage() {
    RunOptions stopped = options(directory_);
    stopped.draws = 400;
    run_chains(*posterior_, sampler_, stopped);
  }
  /// What resuming complains about; nothing if it goes on to as many draws as there would have been.
  std::string complaint() const {
    RunOptions more = options(directory_);
    more.draws = 401;
    more.resume = true;
    return varimesh::test::input_error([&] { run_chains(*posterior_, sampler_, more); });
  }
  std::string path(const char* name) const { return (directory_.path() / name).string(); }

  const SamplerOptions sampler_{.warmup = 30};
  const varimesh::test::ScratchDirectory directory_;
};

TEST_F(ResumeAfterDamage, AnyOfFortyFlippedBitsIsFoundAndNamed) {
  const std::string whole = directory_.read("chain_1.draws");
  ASSERT_GT(whole.size(), 30'000U);
  Random random(40);
  for (int flip = 0; flip < 40; ++flip) {
    const auto bit = static_cast<std::size_t>(random.uniform() * 8 * static_cast<double>(whole.size() - 64)) + 8 * 64;
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    directory_.write("chain_1.draws", damaged);
    EXPECT_EQ(complaint(), path("chain_1.draws") + " is damaged: draws 1 to 400 do not fit their checksum")
        << "bit " << bit;
  }
  directory_.write("chain_1.draws", whole);
  EXPECT_EQ(complaint(), "");
}

TEST_F(ResumeAfterDamage, APageOfZerosIsFound) {
  std::string damaged = directory_.read("chain_0.draws");
  damaged.replace(8192, 4096, 4096, '\0');
  directory_.write("chain_0.draws", damaged);
  EXPECT_EQ(complaint(), path("chain_0.draws") + " is damaged: draws 1 to 400 do not fit their checksum");
}

TEST_F(ResumeAfterDamage, ChainsThatChangedPlacesAreFound) {
  const std::string first = directory_.read("chain_0.draws"), second = directory_.read("chain_1.draws");
  directory_.write("chain_0.draws", second);
  directory_.write("chain_1.draws", first);
  EXPECT_EQ(complaint(), path("chain_0.draws") + " holds draws of chain 1 with seed 1, expected chain 0 with seed 1");
  // The whole of another chain, with its checkpoint.
  const std::string checkpoint = directory_.read("chain_1.checkpoint");
  directory_.write("chain_0.checkpoint", checkpoint);
  EXPECT_EQ(complaint(), path("chain_0.checkpoint") + " was made with chain number 1, found 0");
}

TEST_F(ResumeAfterDamage, DrawsOfAnotherRunOrOfAnEarlierMomentAreFound) {
  const varimesh::test::ScratchDirectory other;
  RunOptions options = this->options(other);
  options.draws = 400;
  run_chains(*posterior_, {.warmup = 40}, options);
  const std::string own = directory_.read("chain_1.draws");
  directory_.write("chain_1.draws", other.read("chain_1.draws"));
  EXPECT_EQ(complaint(),
            path("chain_1.draws") + " holds draws of another run, not of the one that its checkpoint is of");
  directory_.write("chain_1.draws", own.substr(0, own.size() / 2));
  EXPECT_THAT(complaint(), HasSubstr("whole draws, expected 400 or more"));
}

}  // namespace
}  // namespace varimesh::mcmc
