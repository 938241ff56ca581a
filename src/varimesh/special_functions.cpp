#include "varimesh/special_functions.h"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <numbers>

namespace varimesh {

double log_gamma(double x) { return boost::math::lgamma(x); }

double normal_quantile(double p) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p); }

double student_tail(double t, double degrees_of_freedom) {
  // P(|T| > t) = I_x(nu / 2, 1 / 2),  x = nu / (nu + t^2)
  const double x = 1 / (1 + t * t / degrees_of_freedom);
  return 0.5 * boost::math::ibeta(0.5 * degrees_of_freedom, 0.5, x);
}

double beta_quantile(double p, double a, double b) { return boost::math::ibeta_inv(a, b, p); }

}  // namespace varimesh
