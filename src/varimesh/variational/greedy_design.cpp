#include "varimesh/variational/greedy_design.h"

#include <algorithm>
#include <cmath>

namespace varimesh::variational {

GreedyDesign choose_greedily(const Matrix& a, const Vector& b, Index count) {
  const auto candidates = static_cast<Index>(a.cols());
  count = std::min(count, candidates);
  const bool of_quantity = b.size() > 0;
  GreedyDesign design;
  design.gains.resize(count);
  if (of_quantity) design.variance.resize(count + 1);
  // a'C a and a'C b of every candidate, and b'C b
  Vector variance = a.colwise().squaredNorm();
  Vector covariance = of_quantity ? Vector(a.transpose() * b) : Vector::Zero(candidates);
  double rest = b.squaredNorm();
  Matrix rows(candidates, count);  // one for each choice: a'C a_s / (1 + a_s'C a_s)^(1/2)
  std::vector<bool> taken(static_cast<std::size_t>(candidates), false);
  const auto gain_of = [&](Eigen::Index c) {
    if (!of_quantity) return 0.5 * std::log1p(variance[c]);
    return rest > 0 ? -0.5 * std::log1p(-covariance[c] * covariance[c] / ((1 + variance[c]) * rest)) : 0;
  };
  design.alone = Vector::NullaryExpr(candidates, gain_of);
  for (Index k = 0; k < count; ++k) {
    if (of_quantity) design.variance[k] = rest;
    Index best = -1;
    for (Index c = 0; c < candidates; ++c) {
      if (!taken[static_cast<std::size_t>(c)] && (best < 0 || gain_of(c) > gain_of(best))) best = c;
    }
    design.chosen.push_back(best);
    design.gains[k] = gain_of(best);
    taken[static_cast<std::size_t>(best)] = true;
    // C <- C - C a a'C / (1 + a'C a)
    const double root = std::sqrt(1 + variance[best]);
    Vector row = a.transpose() * a.col(best) - rows.leftCols(k) * rows.row(best).head(k).transpose();
    row /= root;
    const double own = covariance[best] / root;
    rows.col(k) = row;
    variance -= row.cwiseAbs2();
    variance = variance.cwiseMax(0);
    covariance -= own * row;
    rest -= own * own;
  }
  if (of_quantity) design.variance[count] = rest;
  return design;
}

}  // namespace varimesh::variational
