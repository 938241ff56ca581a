#include "varimesh/diagnostics/effective_sample_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace varimesh::diagnostics {
namespace {

constexpr Index fewest_draws = 6;       // of a half: Geyer's sequence needs three pairs of lags
constexpr Index most_direct_lags = 32;  // cheaper than Fourier transforms

bool is_constant(const Matrix& draws, const SplitChains& split) {
  for (Index h = 0; h < split.num_halves(); ++h) {
    if ((split.half(draws, h).array() != draws(0, 0)).any()) return false;
  }
  return true;
}

double sample_variance(const Vector& x) {
  return (x.array() - x.mean()).square().sum() / static_cast<double>(x.size() - 1);
}

}  // namespace

double EffectiveSampleSize::operator()(const Matrix& draws) {
  const SplitChains split(draws);
  if (split.length < fewest_draws || !draws.allFinite() || is_constant(draws, split))
    return std::numeric_limits<double>::quiet_NaN();
  centre(draws, split);
  const double count = split.num_draws();
  return count / std::max(autocorrelation_time(), 1 / std::log10(count));
}

void EffectiveSampleSize::centre(const Matrix& draws, const SplitChains& split) {
  means_.resize(split.num_halves());
  deviations_.resize(split.length, split.num_halves());
  for (Index h = 0; h < split.num_halves(); ++h) {
    const auto half = split.half(draws, h);
    // From the first value, so that deviations of equal values are zero.
    deviations_.col(h) = half.array() - half[0];
    const double mean = deviations_.col(h).mean();
    deviations_.col(h).array() -= mean;
    means_[h] = half[0] + mean;
  }
  autocovariance_.resize(split.length);
  num_lags_ = 0;
}

double EffectiveSampleSize::autocovariance(Index t) {
  if (t >= num_lags_ && t >= most_direct_lags) transform_all();
  const Eigen::Index length = deviations_.rows();
  for (; num_lags_ <= t; ++num_lags_) {
    // 1/N sum_s a_s a_{s+t}, the biased estimate, as Geyer recommends
    const Eigen::Index products = length - num_lags_;
    double sum = 0;
    for (Eigen::Index h = 0; h < deviations_.cols(); ++h)
      sum += deviations_.col(h).head(products).dot(deviations_.col(h).tail(products));
    autocovariance_[num_lags_] = sum / static_cast<double>(deviations_.size());
  }
  return autocovariance_[t];
}

void EffectiveSampleSize::transform_all() {
  const auto length = static_cast<Index>(deviations_.rows());
  const Index size = Fourier::good_size(2 * length);
  padded_.assign(size, 0.0);
  transformed_.resize(size);
  power_.setZero(size);
  for (Eigen::Index h = 0; h < deviations_.cols(); h += 2) {
    // Two real series as one complex: the real part of the autocovariance of a + i b is that of a plus that of b.
    for (Index s = 0; s < length; ++s) padded_[s] = {deviations_(s, h), deviations_(s, h + 1)};
    fourier_.forward(padded_, transformed_);
    for (Index k = 0; k < size; ++k) power_[k] += std::norm(transformed_[k]);
  }
  // sum_s a_s a_{s+t} = 1/n sum_k |a_k|^2 cos(2 pi k t / n): of the real powers, a forward transform will do
  for (Index k = 0; k < size; ++k) padded_[k] = power_[k];
  fourier_.forward(padded_, transformed_);
  const double scale = 1 / (size * static_cast<double>(deviations_.size()));
  for (Index t = 0; t < length; ++t) autocovariance_[t] = scale * transformed_[t].real();
  num_lags_ = length;
}

double EffectiveSampleSize::autocorrelation_time() {
  const auto length = static_cast<Index>(deviations_.rows());
  // rho_t = 1 - (W - autocovariance_t) / var+,  W = N/(N-1) autocovariance_0,  var+ = (N-1)/N W + variance of the means
  const double within = autocovariance(0) * length / (length - 1);
  const double total = autocovariance(0) + sample_variance(means_);
  const auto rho = [&](Index t) { return 1 - (within - autocovariance(t)) / total; };

  // Initial positive sequence: pairs of lags until their sum is negative
  rho_.setZero(length + 1);
  double even = rho_[0] = 1, odd = rho_[1] = rho(1);
  Index last = 0;
  while (last < length - 5 && even + odd > 0) {
    last += 2;
    even = rho(last);
    odd = rho(last + 1);
    if (even + odd >= 0) {
      rho_[last] = even;
      rho_[last + 1] = odd;
    }
  }
  if (even > 0) rho_[last] = even;

  // Initial monotone sequence: no pair is larger than the one before
  for (Index t = 2; t <= last - 2; t += 2) {
    const double before = rho_[t - 2] + rho_[t - 1];
    if (rho_[t] + rho_[t + 1] > before) rho_[t] = rho_[t + 1] = before / 2;
  }
  // tau = -1 + 2 sum_{t < last} rho_t + rho_last; the last even term alone reduces the variance for antithetic chains
  return -1 + 2 * rho_.head(last).sum() + rho_[last];
}

}  // namespace varimesh::diagnostics
