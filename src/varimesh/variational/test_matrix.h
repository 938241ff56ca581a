#pragma once

#include <memory>

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/variational/sparse_signs.h"

namespace varimesh::variational {

/// A test matrix Omega for sketches of curvatures relative to the prior N(m, R R'), with R Omega: a product R'H R Omega
/// needs R once for all draws, and R' once for all of an iteration's.
struct TestMatrix {
  TestMatrix(const gaussian::Gaussian& prior, Index columns, int threads);

  std::shared_ptr<const SparseSigns> omega;
  Matrix coloured;  ///< R Omega
};

}  // namespace varimesh::variational
