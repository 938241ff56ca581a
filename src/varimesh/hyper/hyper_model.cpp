#include "varimesh/hyper/hyper_model.h"

#include <cmath>
#include <numbers>

namespace varimesh::hyper {

Vector HyperModel::values(const Vector& t) const {
  return Vector::NullaryExpr(size(),
                             [&](Eigen::Index j) { return parameters[static_cast<std::size_t>(j)].prior.value(t[j]); });
}

double HyperModel::log_prior(const Vector& t) const {
  return -0.5 * (t.squaredNorm() + size() * std::log(2 * std::numbers::pi));
}

inverse::Posterior HyperModel::posterior(const Vector& psi) const {
  return {std::make_shared<inverse::GaussianLikelihood>(model, observations(psi)), prior(psi)};
}

}  // namespace varimesh::hyper
