#include "varimesh/inverse/independent_prior.h"

namespace varimesh::inverse {

IndependentPrior::IndependentPrior(Vector mean, Vector sigma)
    : gaussian_(std::move(mean), std::move(sigma)),
      precision_diagonal_(gaussian_.precision_diagonal()),
      precision_(precision_diagonal_.asDiagonal()) {}

}  // namespace varimesh::inverse
