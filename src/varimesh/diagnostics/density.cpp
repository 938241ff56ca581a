#include "varimesh/diagnostics/density.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "varimesh/diagnostics/fourier.h"
#include "varimesh/diagnostics/ranks.h"
#include "varimesh/error.h"

namespace varimesh::diagnostics {
namespace {

constexpr Index num_bins = 1 << 12, fewest_points = 512, most_points = 1 << 14;
constexpr double points_per_bandwidth = 8, margin = 5;  // in bandwidths, beyond the draws

std::vector<double> finite_ascending(const Vector& values) {
  std::vector<double> ascending;
  for (const double value : values) {
    if (std::isfinite(value)) ascending.push_back(value);
  }
  if (ascending.empty())
    throw InputError(fmt::format("expected at least one finite value, found none among {}", values.size()));
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

/// Shares of the values between the points of a grid, given to the two neighbours in proportion: keeps mass and mean.
Vector bin(const std::vector<double>& values, double first, double spacing, Index points) {
  Vector shares = Vector::Zero(points);
  const double share = 1 / static_cast<double>(values.size());
  for (const double value : values) {
    const double position = (value - first) / spacing;
    const Index below = std::clamp(static_cast<Index>(position), 0, points - 2);
    shares[below] += share * (below + 1 - position);
    shares[below + 1] += share * (position - below);
  }
  return shares;
}

/// Binned draws on (0, 1) by their cosine series, for k = 1, 2 ..
struct Spectrum {
  Vector square, log_square;  ///< of pi k
  Vector power;               ///< a_k^2,  a_k = sum_j p_j cos(pi k (j + 1/2) / n)
};

/// By one Fourier transform of the same size (Makhoul 1980).
Spectrum cosine_spectrum(const Vector& p) {
  const Eigen::Index n = p.size();
  std::vector<Fourier::Complex> reordered(n), transformed(n);
  for (Eigen::Index j = 0; j < n / 2; ++j) {
    reordered[j] = p[2 * j];
    reordered[n - 1 - j] = p[2 * j + 1];
  }
  Fourier().forward(reordered, transformed);
  Spectrum spectrum{Vector(n - 1), Vector(n - 1), Vector(n - 1)};
  for (Eigen::Index k = 1; k < n; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k);
    spectrum.square[k - 1] = angle * angle;
    spectrum.log_square[k - 1] = 2 * std::log(angle);
    spectrum.power[k - 1] =
        std::pow((std::polar(1.0, -angle / (2 * static_cast<double>(n))) * transformed[k]).real(), 2);
  }
  return spectrum;
}

/// 2 sum_k (pi k)^2s a_k^2 exp(-(pi k)^2 t): the squared norm of the s-th derivative of the density, smoothed with
/// variance t on both sides.
double roughness(const Spectrum& spectrum, int s, double t) {
  double sum = 0;
  for (Eigen::Index k = 0; k < spectrum.power.size() && spectrum.square[k] * t < 700; ++k)
    sum += spectrum.power[k] * std::exp(s * spectrum.log_square[k] - spectrum.square[k] * t);
  return 2 * sum;
}

/// t - xi gamma^[5](t), zero at the squared bandwidth (Botev et al. 2010, section 5): the roughness of each derivative
/// gives the bandwidth for that of the next lower.
double fixed_point_residual(const Spectrum& spectrum, double count, double t) {
  constexpr int highest = 7;
  double rough = roughness(spectrum, highest, t);
  double odd_product = 3.0 * 5 * 7 * 9 * 11;  // (2s - 1)!!
  for (int s = highest - 1; s >= 2; --s) {
    // t_s = (2/3 (1 + 2^-(s + 1/2)) (2s - 1)!! / (sqrt(2 pi) N |f^(s+1)|^2))^(2 / (3 + 2s))
    const double constant = 2 * (1 + std::pow(0.5, s + 0.5)) / 3 * odd_product / std::sqrt(2 * std::numbers::pi);
    rough = roughness(spectrum, s, std::pow(constant / (count * rough), 2.0 / (3 + 2 * s)));
    odd_product /= 2 * s - 1;
  }
  // t = (2 N sqrt(pi) |f''|^2)^(-2/5)
  return t - std::pow(2 * count * std::sqrt(std::numbers::pi) * rough, -0.4);
}

/// The smallest root by doubling and bisection; none up to a tenth.
std::optional<double> find_squared_bandwidth(const Spectrum& spectrum, double count) {
  double low = 0, high = 1e-7;  // a bin, squared
  while (!(fixed_point_residual(spectrum, count, high) > 0)) {
    low = high;
    high *= 2;
    if (high > 0.1) return std::nullopt;
  }
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (fixed_point_residual(spectrum, count, middle) > 0 ? high : low) = middle;
  }
  return high;
}

/// 0.9 min(sd, IQR / 1.34) N^-1/5.
double silverman(const std::vector<double>& ascending, double count) {
  const Eigen::Map<const Vector> values(ascending.data(), static_cast<Eigen::Index>(ascending.size()));
  const double sd = std::sqrt((values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1));
  const double robust = (quantile(ascending, 0.75) - quantile(ascending, 0.25)) / 1.34;
  return 0.9 * (robust > 0 ? std::min(sd, robust) : sd) * std::pow(count, -0.2);
}

double bandwidth_of(const std::vector<double>& ascending, std::optional<double> effective_draws) {
  const double range = ascending.back() - ascending.front();
  if (!(range > 0)) return 0;
  double distinct = 1;
  for (std::size_t i = 1; i < ascending.size(); ++i) distinct += ascending[i] != ascending[i - 1] ? 1 : 0;
  const double count = std::min(distinct, std::max(1.0, effective_draws.value_or(distinct)));
  // On (0, 1), a tenth of the range away from the ends
  const double first = ascending.front() - 0.1 * range, length = 1.2 * range;
  const Spectrum spectrum = cosine_spectrum(bin(ascending, first, length / num_bins, num_bins));
  const std::optional<double> squared = find_squared_bandwidth(spectrum, count);
  // No narrower than what the grid can show
  const double narrowest = range * points_per_bandwidth / (most_points - 2 * margin * points_per_bandwidth - 1);
  return std::max(squared ? length * std::sqrt(*squared) : silverman(ascending, count), narrowest);
}

}  // namespace

double choose_bandwidth(const Vector& values, std::optional<double> effective_draws) {
  if (!values.allFinite()) throw InputError("expected finite values, found some that are not");
  return bandwidth_of(finite_ascending(values), effective_draws);
}

Density estimate_density(const Vector& values, std::optional<double> effective_draws) {
  const std::vector<double> ascending = finite_ascending(values);
  Density density;
  density.left_out = static_cast<Index>(values.size()) - static_cast<Index>(ascending.size());
  const double h = density.bandwidth = bandwidth_of(ascending, effective_draws);
  if (h == 0) return density;

  const double first = ascending.front() - margin * h, last = ascending.back() + margin * h;
  const auto wanted = static_cast<Index>(std::ceil((last - first) / h * points_per_bandwidth)) + 1;
  const Index points = std::clamp(wanted, fewest_points, most_points);
  const double spacing = (last - first) / (points - 1);
  const Vector shares = bin(ascending, first, spacing, points);
  // Binning has smoothed with variance spacing^2 / 6 already, on average
  const double variance = h * h - spacing * spacing / 6;
  const auto reach = static_cast<Index>(std::ceil(2 * margin * h / spacing));
  Vector kernel(reach + 1);
  for (Index k = 0; k <= reach; ++k) kernel[k] = std::exp(-0.5 * std::pow(k * spacing, 2) / variance);

  density.x = Vector::LinSpaced(points, first, last);
  density.value = Vector::Zero(points);
  for (Index j = 0; j < points; ++j) {
    if (shares[j] == 0) continue;
    for (Index i = std::max(0, j - reach); i <= std::min(points - 1, j + reach); ++i)
      density.value[i] += shares[j] * kernel[std::abs(i - j)];
  }
  const double integral = spacing * (density.value.sum() - 0.5 * (density.value[0] + density.value[points - 1]));
  density.value /= integral;
  return density;
}

Vector quantiles(const Vector& values, const Vector& levels) {
  const std::vector<double> ascending = finite_ascending(values);
  Vector result(levels.size());
  for (Eigen::Index i = 0; i < levels.size(); ++i) {
    if (!(levels[i] >= 0 && levels[i] <= 1))
      throw InputError(fmt::format("expected the level of a quantile from 0 to 1, found {}", levels[i]));
    result[i] = quantile(ascending, levels[i]);
  }
  return result;
}

}  // namespace varimesh::diagnostics
