#pragma once

#include <string>
#include <vector>

#include "varimesh/paper/poisson.h"

namespace varimesh::paper {

// What the paper says of the figures of Poisson 1D, for a truth of either length-scale.

Claim bands_claim(const std::vector<PoissonCase>& all, double truth, const std::string& figure);
Claim precision_claim(const std::vector<PoissonCase>& all, double truth, const std::string& figure);
Claim flux_claim_1d(const std::vector<PoissonCase>& all, double truth, const std::string& figure);

}  // namespace varimesh::paper
