#pragma once

#include <vector>

#include "varimesh/diagnostics/fourier.h"
#include "varimesh/types.h"

namespace varimesh::diagnostics {

/// Chains cut in half, so that drift within a chain shows as a difference between its halves; of an odd number of draws
/// the middle one is left out.
struct SplitChains {
  Index length, chains;  ///< of a half; there are twice as many halves as chains
  Index second;          ///< the draw at which second halves begin

  explicit SplitChains(const Matrix& draws)
      : length(static_cast<Index>(draws.rows() / 2)),
        chains(static_cast<Index>(draws.cols())),
        second(static_cast<Index>(draws.rows()) - length) {}

  Index num_halves() const { return 2 * chains; }
  Index num_draws() const { return length * num_halves(); }
  /// Half h of the draws (draws x chains) they were made from: first halves are even.
  auto half(const Matrix& draws, Index h) const { return draws.col(h / 2).segment(h % 2 == 0 ? 0 : second, length); }
};

/// How many independent draws would give the mean of a series as precisely, for draws x chains: split chains, Geyer's
/// initial monotone positive sequence, at most S log10(S) for S draws (Vehtari, Gelman, Simpson, Carpenter and
/// Buerkner, Bayesian Analysis 16, 2021, section 3.2). An object serves one thread at a time.
class EffectiveSampleSize {
 public:
  /// NaN for fewer than 12 draws a chain, for values that are not finite, and if all are equal.
  double operator()(const Matrix& draws);

 private:
  /// Deviations of the halves from their means.
  void centre(const Matrix& draws, const SplitChains& split);
  /// At lag t, averaged over halves; few lags are summed as they are asked for, then all are by Fourier transforms.
  double autocovariance(Index t);
  void transform_all();
  double autocorrelation_time();

  Fourier fourier_;
  std::vector<Fourier::Complex> padded_, transformed_;
  Matrix deviations_;  ///< half's length x halves
  Vector means_, autocovariance_, power_, rho_;
  Index num_lags_ = 0;  ///< of the autocovariances that are known
};

}  // namespace varimesh::diagnostics
