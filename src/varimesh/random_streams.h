#pragma once

#include <cstdint>

/// Which of a seed's streams of random numbers (random.h) are whose. No two uses of one seed share one, but for made-up
/// data and the points of `check`, which are those of the first steps of a fit with the same seed.
namespace varimesh::random_streams {

using Stream = std::uint64_t;

// From the bottom, what counts up.

/// Of a fit's start; the stages of natural gradients and the steps of Adam are the streams after it.
constexpr Stream fit = 0;
/// Of made-up data: the truth, and the noise.
constexpr Stream truth = 0, noise = 1;
/// Where `check` looks: not at a simulated truth, near which gradients vanish.
constexpr Stream check = 2;
/// One transition of one chain; iterations are fewer than 2^40.
constexpr Stream transition(std::uint64_t chain, std::uint64_t iteration) { return (chain + 1) << 40 | iteration; }

// From the top, one each.

constexpr Stream elbo = ~Stream{0};                    ///< the ELBO of a finished fit
constexpr Stream importance = ~Stream{1};              ///< draws of a finished fit
constexpr Stream prior = ~Stream{2};                   ///< draws of the prior, to be compared
constexpr Stream fresh_draws = ~Stream{3};             ///< of a stored fit, for another load
constexpr Stream first_look = ~Stream{4};              ///< whether the model works at all under a fit
constexpr Stream fields_to_try = ~Stream{5};           ///< before there is an answer
constexpr Stream randomized = ~Stream{6};              ///< draws by optimisation
constexpr Stream other_priors = ~Stream{7};            ///< quantities under other priors
constexpr Stream hyperparameters = ~Stream{8};         ///< draws of these, between fits
constexpr Stream replicates = 0xffff'ffff'ffff'0000;   ///< data as the answer would have them
constexpr Stream test_matrix = 0xffff'ffff'fffe'0000;  ///< of sketches
/// What Adam has gained by a step; it asks every hundred steps or so, far from those above.
constexpr Stream gain_of_step(std::uint64_t step) { return ~step; }

}  // namespace varimesh::random_streams
