#pragma once

#include <vector>

#include "varimesh/paper/poisson.h"

namespace varimesh::paper {

// Variations of Poisson 1D, each with its figures and what the paper says about them. They use the data of the truth
// with length-scale 0.2.

/// Blocks and claims to add to a chapter.
struct Variation {
  std::vector<Json> blocks;
  std::vector<Claim> claims;
};

/// Precision matrices of bandwidth 2, 5, 10 and 20.
Variation vary_bandwidth(const Study& study, const std::vector<PoissonCase>& cases);
/// 1, 10 and 100 measurements at each sensor; noise of 0.1, 0.01 and 0.001.
Variation vary_data(const Study& study);
/// 2, 3, 5, 10 and 20 draws in a step of the paper's optimiser.
Variation vary_samples(const Study& study, const std::vector<PoissonCase>& cases);

}  // namespace varimesh::paper
