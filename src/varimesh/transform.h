#pragma once

#include <cmath>

namespace varimesh {

/// What the equation sees of an unknown: a function of the variable that is normal a priori, strictly increasing.
struct Transform {
  enum class Kind { identity, exp, bounded };
  Kind kind = Kind::identity;
  double from = 0, to = 1;  ///< of a bounded one

  /// x, exp(x), or from + (to - from) / (1 + exp(-x)).
  double value(double x) const {
    switch (kind) {
      case Kind::identity:
        return x;
      case Kind::exp:
        return std::exp(x);
      case Kind::bounded:
        return from + (to - from) / (1 + std::exp(-x));
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
      case Kind::bounded: {
        // (to - from) s (1 - s), s = 1 / (1 + exp(-x)), without overflow
        const double small = std::exp(-std::abs(x));
        return (to - from) * small / ((1 + small) * (1 + small));
      }
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
      case Kind::bounded:
        return std::log((v - from) / (to - v));
    }
    return v;
  }

  friend bool operator==(const Transform&, const Transform&) = default;
};

}  // namespace varimesh
