#pragma once

namespace varimesh::diagnostics {

/// The x below which a standard normal variable lies with probability p, 0 < p < 1, to rounding.
double normal_quantile(double p);

/// The x below which a Beta(a, b) variable lies with probability p, 0 < p < 1, for a, b >= 1, to about 1e-12.
double beta_quantile(double p, double a, double b);

}  // namespace varimesh::diagnostics
