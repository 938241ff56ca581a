#pragma once

#include <string>
#include <vector>

#include "varimesh/paper/poisson.h"

namespace varimesh::paper {

// What the paper says of Poisson 2D beyond what it says of 1D, too.

Claim maps_claim(const PoissonCase& some, const std::string& figure);
Claim matching_prior_claim(const std::vector<PoissonCase>& cases);
Claim flux_claim_2d(const std::vector<PoissonCase>& all, double truth, const std::string& figure);

}  // namespace varimesh::paper
