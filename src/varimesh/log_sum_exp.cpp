#include "varimesh/log_sum_exp.h"

#include <cmath>

namespace varimesh {

Vector log_sum_exp(const Eigen::Ref<const Matrix>& a) {
  return Vector::NullaryExpr(a.cols(), [&](Eigen::Index j) {
    const double largest = a.col(j).maxCoeff();
    return std::isfinite(largest) ? largest + std::log((a.col(j).array() - largest).exp().sum()) : largest;
  });
}

}  // namespace varimesh
