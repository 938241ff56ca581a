#include "varimesh/inverse/information_root.h"

namespace varimesh::inverse {

InformationRoot::InformationRoot(const Observations& observations, noise::Bend bend)
    : observations_(&observations), bend_(bend) {
  if (!observations.noise) root_weight_ = observations.weight.cwiseSqrt();
}

void InformationRoot::multiply(const Vector& prediction, Eigen::Ref<Matrix> x) const {
  if (observations_->noise)
    observations_->noise->multiply_root(prediction, bend_, x);
  else
    x.array().colwise() *= root_weight_.array();
}

void InformationRoot::multiply_transposed(const Vector& prediction, Eigen::Ref<Matrix> x) const {
  if (observations_->noise)
    observations_->noise->multiply_root_transposed(prediction, bend_, x);
  else
    x.array().colwise() *= root_weight_.array();
}

}  // namespace varimesh::inverse
