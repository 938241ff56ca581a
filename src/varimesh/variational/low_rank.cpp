#include "varimesh/variational/low_rank.h"

#include <algorithm>

namespace varimesh::variational {

bool LowRank::set_parameters(const Vector& parameters) {
  if (!parameters.allFinite()) return false;
  q_ = gaussian::LowRankGaussian(parameters, q_.shared_base(), q_.shared_directions(), q_.excess(), q_.scale());
  return true;
}

Vector LowRank::pull_back(const Matrix& /*z*/, const Matrix& g) const { return g.rowwise().sum(); }

double LowRank::trace_term(const inverse::GaussianPrior& prior, Vector* gradient) const {
  if (gradient) gradient->resize(size());
  if (&prior.gaussian() == &q_.base()) {
    // tr(Q_p Sigma) = s^2 [ n - sum lambda / (1 + lambda) ]
    const double lost = (q_.excess().array() / (1 + q_.excess().array())).sum();
    return q_.scale() * q_.scale() * (size() - lost);
  }
  // |R_p^-1 R|^2, some columns at a time
  constexpr Index width = 64;
  double trace = 0;
  for (Index first = 0; first < size(); first += width) {
    const Index count = std::min(width, size() - first);
    Matrix columns = Matrix::Zero(size(), count);
    columns.middleRows(first, count).setIdentity();
    q_.multiply_root(columns);
    prior.gaussian().solve_root(columns);
    trace += columns.squaredNorm();
  }
  return trace;
}

}  // namespace varimesh::variational
