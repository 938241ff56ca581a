#include "varimesh/linalg/sparse_assembly.h"

#include <algorithm>

namespace varimesh::linalg {

SparseMatrix zeros_on(const Graph& graph) {
  SparseMatrix result(graph.size(), graph.size());
  result.resizeNonZeros(graph.start.back() + graph.size());
  Index* row = result.innerIndexPtr();
  for (Index v = 0; v < graph.size(); ++v) {
    const auto neighbours = graph.neighbours(v);
    const auto above = std::ranges::lower_bound(neighbours, v);
    row = std::copy(neighbours.begin(), above, row);
    *row++ = v;
    row = std::copy(above, neighbours.end(), row);
    result.outerIndexPtr()[v + 1] = static_cast<Index>(row - result.innerIndexPtr());
  }
  std::fill_n(result.valuePtr(), result.nonZeros(), 0.0);
  return result;
}

void add_block(const Eigen::Ref<const Matrix>& block, std::span<const Index> places, SparseMatrix& sum) {
  for (std::size_t j = 0; j < places.size(); ++j) {
    const Index* begin = sum.innerIndexPtr() + sum.outerIndexPtr()[places[j]];
    const Index* end = sum.innerIndexPtr() + sum.outerIndexPtr()[places[j] + 1];
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Index* row = std::lower_bound(begin, end, places[i]);
      sum.valuePtr()[row - sum.innerIndexPtr()] += block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
}

}  // namespace varimesh::linalg
