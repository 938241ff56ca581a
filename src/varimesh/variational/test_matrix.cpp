#include "varimesh/variational/test_matrix.h"

#include "varimesh/parallel.h"

namespace varimesh::variational {

TestMatrix::TestMatrix(const gaussian::Gaussian& prior, Index columns, int threads)
    : omega(std::make_shared<const SparseSigns>(prior.size(), std::min(columns, prior.size()), 1)),
      coloured(prior.size(), omega->columns()) {
  constexpr Eigen::Index width = 32;
  parallel_for_blocks(coloured.cols(), width, threads, [&](Eigen::Index first, Eigen::Index count) {
    coloured.middleCols(first, count) = omega->dense(static_cast<Index>(first), static_cast<Index>(count));
    prior.multiply_root(coloured.middleCols(first, count));
  });
}

}  // namespace varimesh::variational
