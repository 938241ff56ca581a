#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "varimesh/paper/judgement.h"
#include "varimesh/paper/poisson.h"

namespace varimesh::paper {

// Numbers by which claims about Poisson 1D and 2D are judged.

using Cases = std::vector<const PoissonCase*>;

Cases all_of(const std::vector<PoissonCase>& cases);

/// Over the cases, the median over repetitions of a method's number relative to HMC's.
Range relative_to_hmc(const Cases& cases, std::string_view method, double Repetition::* number);
/// Over the cases, the median over repetitions.
Range medians(const Cases& cases, std::string_view method, double Repetition::* number);
/// Over the cases, the median over repetitions of the shift of the flux's mean, in sds of HMC.
Range flux_shift(const Cases& cases, std::string_view method);
/// Over the cases, HMC's seconds by those of a fit.
Range speedup(const Cases& cases, std::string_view method);

/// "20 data sets"
std::string repeated(const PoissonCase& some);

/// How alike two precision matrices are: the correlation of their partial correlations.
double likeness(const Matrix& precision, const Matrix& other);

}  // namespace varimesh::paper
