#include "varimesh/special_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace varimesh {
namespace {

/// Numerator and denominator of degree seven, coefficients ascending.
double ratio(const double (&numerator)[8], const double (&denominator)[8], double x) {
  double above = 0, below = 0;
  for (int k = 7; k >= 0; --k) {
    above = above * x + numerator[k];
    below = below * x + denominator[k];
  }
  return above / below;
}

/// I_x(a, b) by its continued fraction, which converges fast for x < (a + 1) / (a + b + 2) (Lentz's algorithm).
double lower_beta(double x, double a, double b) {
  constexpr double tiny = 1e-300, accuracy = std::numeric_limits<double>::epsilon();
  constexpr int most_terms = 100'000;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (d == 0 ? tiny : d);
  double fraction = d;
  for (int m = 1; m < most_terms; ++m) {
    const auto advance = [&](double term) {
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (d == 0 ? tiny : d);
      if (c == 0) c = tiny;
      fraction *= c * d;
      return std::abs(c * d - 1);
    };
    // d_2m = m (b - m) x / ((a + 2m - 1) (a + 2m)),  d_2m+1 = -(a + m) (a + b + m) x / ((a + 2m) (a + 2m + 1))
    advance(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    if (advance(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))) <= accuracy) break;
  }
  // x^a (1 - x)^b / (a B(a, b)) times the fraction
  const double log_factor =
      a * std::log(x) + b * std::log1p(-x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b) - std::log(a);
  return std::exp(log_factor) * fraction;
}

double beta_distribution(double x, double a, double b) {
  return x < (a + 1) / (a + b + 2) ? lower_beta(x, a, b) : 1 - lower_beta(1 - x, b, a);
}

}  // namespace

// Stirling's series. (std::lgamma writes to a global variable.)
double log_gamma(double x) {
  double product = 1;
  for (; x < 12; ++x) product *= x;
  const double z = 1 / (x * x);
  const double series = 1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)));
  return (x - 0.5) * std::log(x) - x + 0.5 * std::log(2 * std::numbers::pi) + series / x - std::log(product);
}

// Wichura, Algorithm AS 241, PPND16, Applied Statistics 37 (1988): rational functions on three ranges.
double normal_quantile(double p) {
  static constexpr double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr double b[] = {1.0,
                                 4.2313330701600911252e1,
                                 6.8718700749205790830e2,
                                 5.3941960214247511077e3,
                                 2.1213794301586595867e4,
                                 3.9307895800092710610e4,
                                 2.8729085735721942674e4,
                                 5.2264952788528545610e3};
  static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                 3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
  static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[] = {1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(a, b, 0.180625 - q * q);
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
  return q < 0 ? -x : x;
}

double student_tail(double t, double degrees_of_freedom) {
  // P(|T| > t) = I_x(nu / 2, 1 / 2),  x = nu / (nu + t^2)
  const double x = 1 / (1 + t * t / degrees_of_freedom);
  return x > 0 && x < 1 ? 0.5 * beta_distribution(x, 0.5 * degrees_of_freedom, 0.5) : 0.5 * x;
}

double beta_quantile(double p, double a, double b) {
  double low = 0, high = 1;
  while (high - low > std::numeric_limits<double>::epsilon() * high) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (beta_distribution(middle, a, b) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace varimesh
