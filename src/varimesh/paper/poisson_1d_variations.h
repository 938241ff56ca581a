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

// What they have in common.

constexpr double variation_truth = 0.2;
constexpr run::Method fits[] = {run::Method::mfvb, run::Method::fcvb, run::Method::pmvb};

/// A prior, and fewer draws than where methods are compared: only means and sds are shown.
std::vector<run::Override> variation_settings(double prior);
/// kappa's mean and band by a method, with the truth.
Json band_of(const Answers& answers, const result::MethodRecord& method);
double median_sd(const result::MethodRecord& method);
/// One row of panels for each fit, one column for each variation, in which all fits were asked.
std::vector<std::vector<Json>> rows_of_fits(const std::vector<Answers>& variations);

}  // namespace varimesh::paper
