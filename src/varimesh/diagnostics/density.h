#pragma once

#include <optional>

#include "varimesh/types.h"

namespace varimesh::diagnostics {

/// A density on a grid, by a Gaussian kernel. Both are empty if all draws are equal.
struct Density {
  Vector x;              ///< evenly spaced, from below the smallest draw to above the largest
  Vector value;          ///< integrates to one by the trapezoidal rule
  double bandwidth = 0;  ///< sd of the kernel; zero if all draws are equal
  Index left_out = 0;    ///< draws that are not finite
};

/// The bandwidth of Botev, Grotowski and Kroese (Annals of Statistics 38, 2010; the improved Sheather-Jones plug-in),
/// which does not oversmooth several modes, or Silverman's rule where that finds none. Autocorrelated draws count as
/// `effective_draws`; repeated values count once. Zero if all are equal. Throws InputError if there are no values or
/// some are not finite.
double choose_bandwidth(const Vector& values, std::optional<double> effective_draws = std::nullopt);

/// The density of a quantity from its draws, on 512 to 16,384 points, eight for each bandwidth if that is enough.
/// Throws InputError if no draw is finite.
Density estimate_density(const Vector& values, std::optional<double> effective_draws = std::nullopt);

/// The values below which these shares of the draws lie (type 7 of Hyndman and Fan 1996). Draws that are not finite are
/// left out. Throws InputError if none is finite or for levels beyond 0 and 1.
Vector quantiles(const Vector& values, const Vector& levels);

}  // namespace varimesh::diagnostics
