#include "varimesh/mcmc/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "../expect_input_error.h"
#include "../scratch_directory.h"
#include "run_cases.h"
#include "varimesh/mcmc/cbor.h"
#include "varimesh/random.h"

namespace varimesh::mcmc {
namespace {

/// What two chains that went the same way have in common.
ChainState without_times(ChainState state) {
  state.warmup_seconds = state.draw_seconds = 0;
  return state;
}

/// Something for every block of draws.
DrawsState draws_of(const CheckpointFile& file, const Chain& chain) {
  return {.run = 11, .sums = result::BlockSums(file.records_after(chain.state().iteration) > 0 ? 1 : 0, 12)};
}

void save_chain(const CheckpointFile& file, const Chain& chain) { file.save(chain.state(), draws_of(file, chain)); }
std::string encode_chain(const CheckpointFile& file, const Chain& chain) {
  return file.encode(chain.state(), draws_of(file, chain));
}

using nlohmann::json;
using testing::HasSubstr;

class CheckpointTest : public testing::Test {
 protected:
  CheckpointFile checkpoint_file(const SamplerOptions& sampler, std::uint64_t seed = 7, Index chain = 3,
                                 Index thin = 1) const {
    return {file_, *posterior_, sampler, seed, chain, thin};
  }
  Chain chain_after(const SamplerOptions& sampler, Index transitions) const {
    Chain chain(*posterior_, sampler, 7, 3, Vector(Vector::Constant(4, 0.3)));
    for (Index i = 0; i < transitions; ++i) chain.advance();
    return chain;
  }

  varimesh::test::ScratchDirectory directory_;
  const std::filesystem::path file_ = directory_.path() / "chain.checkpoint";
  const std::string name_ = file_.string();
  const std::shared_ptr<const inverse::Posterior> posterior_ = test::small_posterior();
};

TEST_F(CheckpointTest, LoadsWhatWasSavedToTheLastBitAndGoesOnAlike) {
  for (const auto& [name, sampler] : test::sampler_cases()) {
    for (const Index transitions : {0, 1, 99, 100, 120, 200, 230}) {
      SCOPED_TRACE(name + " after " + std::to_string(transitions));
      Chain chain = chain_after(sampler, transitions);
      const CheckpointFile file = checkpoint_file(sampler);
      file.save(chain.state(), draws_of(file, chain));
      Checkpoint loaded = file.load();
      EXPECT_EQ(loaded.records, std::max(0, transitions - sampler.num_warmup()));
      EXPECT_EQ(file.encode(loaded.state, loaded.draws), file.encode(chain.state(), draws_of(file, chain)));
      Chain again(*posterior_, sampler, 7, 3, std::move(loaded.state));
      for (Index i = 0; i < 3; ++i) {
        EXPECT_EQ(again.advance().acceptance, chain.advance().acceptance);
        EXPECT_EQ(again.state().position.kappa, chain.state().position.kappa);
      }
      EXPECT_TRUE(file.encode(without_times(again.state()), {}) == file.encode(without_times(chain.state()), {}));
    }
  }
}

TEST_F(CheckpointTest, HoldsDenseAndSparseScales) {
  for (const auto& [name, sampler] : test::sampler_cases()) {
    if (!sampler.learns_scale() || sampler.num_warmup() == 0) continue;
    const Chain chain = chain_after(sampler, 200);
    // Windows of 25 and 50 draws; a reference is only given up for the second.
    const std::size_t learnt = sampler.reference ? 1 : 2;
    EXPECT_EQ(chain.state().scales.size(), 1 + learnt) << name;
    const json content = parse_cbor(checkpoint_file(sampler).encode(chain.state(), {}));
    const json& last = content["state"]["scales"].back();
    EXPECT_EQ(content["state"]["scales"].size(), learnt) << name;
    EXPECT_EQ(last.contains("dense_factor"), sampler.scale == ScaleKind::dense) << name;
    EXPECT_EQ(last.contains("sparse_factor"), sampler.scale == ScaleKind::sparse) << name;
  }
}

TEST_F(CheckpointTest, SaysWhichSettingDiffers) {
  const SamplerOptions sampler{.kernel = KernelKind::hmc, .warmup = 20, .leapfrog_steps = 3};
  save_chain(checkpoint_file(sampler), chain_after(sampler, 5));
  const auto load = [&](const std::function<void(SamplerOptions&)>& change) {
    SamplerOptions changed = sampler;
    change(changed);
    return varimesh::test::input_error([&] { checkpoint_file(changed).load(); });
  };
  EXPECT_EQ(load([](auto&) {}), "");
  EXPECT_INPUT_ERROR(checkpoint_file(sampler, 8).load(), name_ + " was made with seed 7, found 8");
  EXPECT_INPUT_ERROR(checkpoint_file(sampler, 7, 4).load(), name_ + " was made with chain number 3, found 4");
  EXPECT_INPUT_ERROR(checkpoint_file(sampler, 7, 3, 2).load(), name_ + " was made with thinning 1, found 2");
  EXPECT_EQ(load([](auto& s) { s.kernel = KernelKind::nuts; }), name_ + " was made with kernel 'hmc', found 'nuts'");
  EXPECT_EQ(load([](auto& s) { s.warmup = 30; }), name_ + " was made with warm-up 20, found 30");
  EXPECT_EQ(load([](auto& s) { s.step = 0.25; }), name_ + " was made with step none, found 0.25");
  EXPECT_EQ(load([](auto& s) { s.target_acceptance = 0.5; }),
            name_ + " was made with target acceptance none, found 0.5");
  EXPECT_EQ(load([](auto& s) { s.leapfrog_steps = 4; }), name_ + " was made with number of leapfrog steps 3, found 4");
  EXPECT_EQ(load([](auto& s) { s.max_depth = 4; }), name_ + " was made with tree depth 10, found 4");
  EXPECT_EQ(load([](auto& s) { s.scale = ScaleKind::dense; }),
            name_ + " was made with scale 'diagonal', found 'dense'");
  EXPECT_EQ(load([](auto& s) { s.reference = test::small_reference(1); }),
            name_ + " was made with scale 'diagonal', found none");
}

TEST_F(CheckpointTest, SaysThatReferenceOrPatternDiffer) {
  SamplerOptions sampler{.warmup = 20, .reference = test::small_reference(0.5)};
  save_chain(checkpoint_file(sampler), chain_after(sampler, 5));
  sampler.reference = test::small_reference(0.5);
  EXPECT_INPUT_ERROR(checkpoint_file(sampler).load(), "");
  sampler.reference = test::small_reference(0.5000001);
  EXPECT_INPUT_ERROR(checkpoint_file(sampler).load(), name_ + " was made with another reference distribution");

  SamplerOptions sparse{
      .warmup = 20, .scale = ScaleKind::sparse, .pattern = test::small_pattern(linalg::Amalgamation::none)};
  save_chain(checkpoint_file(sparse), chain_after(sparse, 5));
  sparse.pattern = test::small_pattern(linalg::Amalgamation::none);
  EXPECT_INPUT_ERROR(checkpoint_file(sparse).load(), "");
  sparse.pattern = test::small_pattern(linalg::Amalgamation::relaxed);
  EXPECT_INPUT_ERROR(checkpoint_file(sparse).load(), name_ + " was made with another pattern of the scale");
}

TEST_F(CheckpointTest, DamageIsNoticedWhereverItIs) {
  const SamplerOptions sampler{.warmup = 20};
  const CheckpointFile file = checkpoint_file(sampler);
  save_chain(file, chain_after(sampler, 5));
  const std::string bytes = directory_.read("chain.checkpoint");
  const auto refused = [&](const std::string& damaged) {
    directory_.write("chain.checkpoint", damaged);
    return !varimesh::test::input_error([&] { file.load(); }).empty();
  };
  for (std::size_t i = 0; i < bytes.size(); i += 1 + i / 24) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    EXPECT_TRUE(refused(damaged)) << i;
  }
  for (std::size_t length = 0; length < bytes.size(); length += 97) EXPECT_TRUE(refused(bytes.substr(0, length)));
  EXPECT_TRUE(refused(bytes + '\0'));
  EXPECT_TRUE(refused("garbage"));
  EXPECT_FALSE(refused(bytes));
}

TEST_F(CheckpointTest, MutatedContentIsAStateOrAnInputError) {
  for (const auto& [name, sampler] : test::sampler_cases()) {
    const CheckpointFile file = checkpoint_file(sampler);
    const std::string content = encode_chain(file, chain_after(sampler, 130));
    Random random(5);
    const auto below = [&](std::size_t count) {
      return static_cast<std::size_t>(random.uniform() * static_cast<double>(count));
    };
    int usable = 0;
    for (int trial = 0; trial < 300; ++trial) {
      std::string mutated = content;
      for (std::size_t change = below(3) + 1; change > 0; --change) {
        const std::size_t place = below(mutated.size());
        const auto byte = static_cast<char>(below(256));
        switch (below(4)) {
          case 0:
            mutated[place] = byte;
            break;
          case 1:
            mutated.insert(place, 1 + below(9), byte);
            break;
          case 2:
            mutated.erase(place, 1 + below(9));
            break;
          default:
            mutated.resize(place + 1);
        }
      }
      try {
        const Checkpoint checkpoint = file.decode(mutated);
        EXPECT_TRUE(checkpoint.state.position.kappa.allFinite());
        EXPECT_EQ(checkpoint.state.position.kappa.size(), 4);
        EXPECT_FALSE(file.encode(checkpoint.state, checkpoint.draws).empty());
        ++usable;
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr(name_));
      }
    }
    EXPECT_GT(usable, 0) << name;
  }
}

TEST_F(CheckpointTest, ContentThatIsNotAStateIsNamed) {
  const SamplerOptions sampler{.warmup = 20};
  const CheckpointFile file = checkpoint_file(sampler);
  const json content = parse_cbor(encode_chain(file, chain_after(sampler, 25)));
  const auto decode = [&](const std::function<void(json&)>& change) {
    json changed = content;
    change(changed);
    std::string bytes;
    json::to_cbor(changed, bytes);
    return varimesh::test::input_error([&] { file.decode(bytes); });
  };
  const std::string begin = name_ + " cannot be used: ";
  EXPECT_EQ(decode([](json&) {}), "");
  EXPECT_EQ(decode([](json& c) { c = 3; }), begin + "expected 'version', found none");
  EXPECT_EQ(decode([](json& c) { c["version"] = 2; }),
            begin + "expected version 3, found 2, which this varimesh does not read");
  EXPECT_EQ(decode([](json& c) { c["checksums"] = json::array(); }), begin + "expected 1 'checksums' of 5 draws");
  EXPECT_EQ(decode([](json& c) { c["checksums"] = {-1}; }), begin + "expected whole numbers as 'checksums'");
  EXPECT_EQ(decode([](json& c) { c["run"] = "x"; }), begin + "expected whole numbers as 'run'");
  EXPECT_EQ(decode([](json& c) { c.erase("settings"); }), begin + "expected 'settings', found none");
  EXPECT_EQ(decode([](json& c) { c["settings"]["seed"] = "x\n"; }), name_ + " was made with seed 'x ', found 7");
  EXPECT_EQ(decode([](json& c) { c["records"] = 6; }), begin + "expected 5 as 'records'");
  EXPECT_EQ(decode([](json& c) { c["state"]["iteration"] = -1; }),
            begin + "expected an integer from 0 to 2147483647 as 'iteration'");
  EXPECT_EQ(decode([](json& c) { c["state"]["divergences"] = std::numeric_limits<std::uint64_t>::max(); }),
            begin + "expected an integer from 0 to 25 as 'divergences'");
  EXPECT_EQ(decode([](json& c) { c["state"]["step"] = 0; }), begin + "expected a positive step, found 0");
  EXPECT_EQ(decode([](json& c) { c["state"]["step"] = "large"; }), begin + "expected a number as 'step'");
  EXPECT_EQ(decode([](json& c) { c["state"]["position"]["kappa"] = {1, 2, 3, 4}; }),
            begin + "expected 4 numbers as 'kappa'");
  EXPECT_EQ(decode([](json& c) { c["state"]["position"]["kappa"] = json::binary({1, 2, 3}); }),
            begin + "expected 4 numbers as 'kappa'");
  EXPECT_EQ(
      decode([](json& c) { c["state"]["position"]["kappa"] = json::binary(std::vector<std::uint8_t>(32, 0xFF)); }),
      begin + "expected a finite position");
  EXPECT_EQ(decode([](json& c) { c["state"]["scales"] = 1; }), begin + "expected no scales that were learnt");
  EXPECT_EQ(decode([](json& c) {
              c["state"]["scales"][0]["sigma"] = json::binary(std::vector<std::uint8_t>(32, 0));
            }).substr(0, begin.size()),
            begin);
}

TEST_F(CheckpointTest, BytesThatWouldExhaustTheStackOrMemoryAreRefused) {
  constexpr std::size_t many = 10'000'000;
  const auto error = [](const std::string& bytes) { return varimesh::test::input_error([&] { parse_cbor(bytes); }); };
  EXPECT_EQ(error(std::string(many, '\x81')), "its values are nested too deeply");    // arrays
  EXPECT_EQ(error(std::string(many, '\xA1')), "its values are nested too deeply");    // maps
  EXPECT_EQ(error(std::string(many, '\x7F')), "it is not the CBOR of a checkpoint");  // texts without length
  EXPECT_EQ(error(std::string(many, '\x5F')), "it is not the CBOR of a checkpoint");  // bytes without length
  EXPECT_EQ(error(std::string(many, '\xC1')), "it is not the CBOR of a checkpoint");  // tags
  EXPECT_EQ(error("\x5B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), "it is cut off");          // 2^64 - 1 bytes
  EXPECT_EQ(error("\x9B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), "it is cut off");          // 2^64 - 1 items
  EXPECT_EQ(error("\xBB\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), "it is cut off");          // 2^63 - 1 pairs
  EXPECT_EQ(error(""), "it is cut off");
  EXPECT_EQ(error("\x01\x02"), "there are bytes behind its end");
  EXPECT_EQ(error("\xA1\x01\x02"), "it is not the CBOR of a checkpoint");  // a key that is a number
}

}  // namespace
}  // namespace varimesh::mcmc
