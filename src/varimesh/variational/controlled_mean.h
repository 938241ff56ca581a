#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace varimesh::variational {

/// The mean of values of which a control variate, of mean zero, explains some of the noise.
class ControlledMean {
 public:
  void add(double value, double control) {
    const double share = 1 / ++count_, weight = 1 - share, dv = value - value_, dc = control - control_;
    value_ += share * dv;
    control_ += share * dc;
    values_ += weight * dv * dv;
    controls_ += weight * dc * dc;
    both_ += weight * dv * dc;
  }

  double count() const { return count_; }
  /// The line through the values at control 0, and its standard error.
  double mean() const { return value_ - slope() * control_; }
  double standard_error() const {
    const double freedom = count_ - (controls_ > 0 ? 2 : 1);
    if (freedom <= 0) return std::numeric_limits<double>::infinity();
    // s^2 (1/n + mean(c)^2 / sum (c - mean(c))^2),  s^2 = scatter / degrees of freedom
    const double leverage = 1 / count_ + (controls_ > 0 ? control_ * control_ / controls_ : 0);
    return std::sqrt(std::max(0.0, values_ - slope() * both_) / freedom * leverage);
  }

 private:
  double slope() const { return controls_ > 0 ? both_ / controls_ : 0; }

  double count_ = 0, value_ = 0, control_ = 0;   // the number, and the two means
  double values_ = 0, controls_ = 0, both_ = 0;  // sums of products of deviations from them
};

}  // namespace varimesh::variational
