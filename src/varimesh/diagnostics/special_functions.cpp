#include "varimesh/diagnostics/special_functions.h"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <numbers>

namespace varimesh::diagnostics {

double normal_quantile(double p) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p); }

double beta_quantile(double p, double a, double b) { return boost::math::ibeta_inv(a, b, p); }

}  // namespace varimesh::diagnostics
