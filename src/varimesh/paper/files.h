#pragma once

#include <string_view>

namespace varimesh::paper {

// The files of paper/ as they were when the library was built.

std::string_view poisson_1d_problem();
std::string_view poisson_2d_problem();
std::string_view benchmark_problem();
std::string_view benchmark_measurements();
std::string_view benchmark_truth();
/// The published posterior mean of theta = exp(kappa), a line each for the 64 blocks.
std::string_view benchmark_reference();
std::string_view bimodal_problem();

}  // namespace varimesh::paper
