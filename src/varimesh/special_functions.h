#pragma once

namespace varimesh {

/// log Gamma(x) for x > 0, to about 1e-14.
double log_gamma(double x);

/// The x below which a standard normal variable lies with probability p, 0 < p < 1, to rounding.
double normal_quantile(double p);

/// P(T > t) of a Student-t variable, t >= 0, any positive degrees of freedom: to about 1e-13 of itself.
double student_tail(double t, double degrees_of_freedom);

/// The x below which a Beta(a, b) variable lies with probability p, 0 < p < 1, for a, b >= 1, to about 1e-12.
double beta_quantile(double p, double a, double b);

}  // namespace varimesh
