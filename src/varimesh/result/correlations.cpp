#include "varimesh/result/correlations.h"

#include <vector>

namespace varimesh::result {

Matrix correlations(const Matrix& draws) {
  std::vector<Eigen::Index> finite;
  for (Eigen::Index s = 0; s < draws.cols(); ++s) {
    if (draws.col(s).allFinite()) finite.push_back(s);
  }
  Matrix deviations = draws(Eigen::all, finite);
  deviations.colwise() -= deviations.rowwise().mean().eval();
  deviations.rowwise().normalize();
  return deviations * deviations.transpose();
}

}  // namespace varimesh::result
