#pragma once

#include <cmath>
#include <numbers>

#include "varimesh/constants.h"
#include "varimesh/special_functions.h"

namespace varimesh {

/// What the equation sees of an unknown: a function of the variable that is normal a priori, strictly increasing.
struct Transform {
  enum class Kind { identity, exp, bounded };
  Kind kind = Kind::identity;
  double from = 0, to = 1;  ///< of a bounded one

  /// x, exp(x), or from + (to - from) Phi(x): uniform between its bounds where x is standard normal.
  double value(double x) const {
    switch (kind) {
      case Kind::identity:
        return x;
      case Kind::exp:
        return std::exp(x);
      case Kind::bounded:
        return from + (to - from) * (0.5 * std::erfc(-x / std::numbers::sqrt2));
    }
    return x;
  }

  /// Its derivative.
  double slope(double x) const {
    switch (kind) {
      case Kind::identity:
        return 1;
      case Kind::exp:
        return std::exp(x);
      case Kind::bounded:
        return (to - from) * std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    }
    return 1;
  }

  /// The x at which it has this value; NaN or infinite at and beyond its bounds.
  double inverse(double v) const {
    switch (kind) {
      case Kind::identity:
        return v;
      case Kind::exp:
        return std::log(v);
      case Kind::bounded: {
        const double p = (v - from) / (to - from);
        return p > 0 && p < 1 ? normal_quantile(p) : p == 0 ? -infinity : p == 1 ? infinity : nan;
      }
    }
    return v;
  }

  friend bool operator==(const Transform&, const Transform&) = default;
};

}  // namespace varimesh
