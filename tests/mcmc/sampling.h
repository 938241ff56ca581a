#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/mcmc/chain.h"

namespace varimesh::mcmc::test {

/// The draws of several chains after their warm-up, one draw a column.
inline std::vector<Matrix> sample(const inverse::Posterior& posterior, const SamplerOptions& options, Index chains,
                                  Index draws, Index thin = 1, std::uint64_t seed = 1) {
  std::vector<Matrix> result;
  for (Index c = 0; c < chains; ++c) {
    Chain chain(posterior, options, seed, c, draw_start(posterior, options, seed, c));
    while (chain.in_warmup()) chain.advance();
    Matrix kept(posterior.size(), draws);
    for (Index i = 0; i < draws; ++i) {
      for (Index t = 0; t < thin; ++t) chain.advance();
      kept.col(i) = chain.state().position.kappa;
    }
    result.push_back(std::move(kept));
  }
  return result;
}

using Function = std::function<double(const Vector&)>;

/// A function of the draws: draws x chains.
inline Matrix series(const std::vector<Matrix>& chains, const Function& f) {
  Matrix result(chains[0].cols(), static_cast<Eigen::Index>(chains.size()));
  for (std::size_t c = 0; c < chains.size(); ++c) {
    for (Eigen::Index i = 0; i < result.rows(); ++i) result(i, static_cast<Eigen::Index>(c)) = f(chains[c].col(i));
  }
  return result;
}

/// Four Monte Carlo standard errors: of all the several hundred expectations that the tests of kernels look at, one is
/// beyond by chance with a probability of a few percent, and seeds are fixed.
constexpr double most_errors = 4;

inline void expect_mean(const Matrix& series, double expected, const std::string& what) {
  const double error = diagnostics::mcse_mean(series);
  EXPECT_GT(error, 0) << what;
  EXPECT_LT(std::abs(series.mean() - expected), most_errors * error)
      << what << ": " << series.mean() << ", expected " << expected << ", standard error " << error;
}

}  // namespace varimesh::mcmc::test
