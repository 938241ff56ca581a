#include "varimesh/gaussian/diagonal_gaussian.h"

#include <fmt/format.h>

#include <cmath>

#include "varimesh/error.h"

namespace varimesh::gaussian {

DiagonalGaussian::DiagonalGaussian(Vector mean, Vector sigma)
    : Gaussian(std::move(mean)), sigma_(std::move(sigma)), log_determinant_(2 * sigma_.array().log().sum()) {
  if (this->mean().size() != sigma_.size())
    throw InputError(fmt::format("expected as many sigmas as means ({}), found {}", size(), sigma_.size()));
  if (!this->mean().allFinite()) throw InputError("expected a finite mean");
  for (const double s : sigma_) {
    if (!(s > 0 && std::isfinite(s))) throw InputError(fmt::format("expected a positive sigma, found {}", s));
  }
}

void DiagonalGaussian::multiply_root(Eigen::Ref<Matrix> x) const { x.array().colwise() *= sigma_.array(); }

void DiagonalGaussian::solve_root(Eigen::Ref<Matrix> x) const { x.array().colwise() /= sigma_.array(); }

}  // namespace varimesh::gaussian
