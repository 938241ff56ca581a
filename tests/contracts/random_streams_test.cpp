#include "varimesh/random_streams.h"

#include <gtest/gtest.h>

#include <set>

namespace varimesh {
namespace {

TEST(RandomStreams, ThatStandAloneDiffer) {
  using namespace random_streams;
  const std::set<Stream> alone = {elbo,       importance,   prior,           fresh_draws, first_look, fields_to_try,
                                  randomized, other_priors, hyperparameters, replicates,  test_matrix};
  EXPECT_EQ(alone.size(), 11U);
  // Chains, however many and long, and Adam, who asks after a hundred steps, are far from them.
  EXPECT_LT(transition(1'000'000, 1'000'000'000), *alone.begin());
  EXPECT_LT(gain_of_step(100), hyperparameters);
}

}  // namespace
}  // namespace varimesh
