#include "varimesh/linalg/sparse_cholesky.h"

#include <stdexcept>

#include "varimesh/linalg/band_cholesky.h"
#include "varimesh/linalg/supernodal_cholesky.h"
#include "varimesh/linalg/tridiagonal_cholesky.h"

namespace varimesh::linalg {

std::string_view name(CholeskyKernel kernel) {
  switch (kernel) {
    case CholeskyKernel::tridiagonal:
      return "tridiagonal";
    case CholeskyKernel::banded:
      return "banded";
    case CholeskyKernel::supernodal:
      return "supernodal";
  }
  throw std::invalid_argument("not a CholeskyKernel");
}

Elimination choose_elimination(const Graph& graph) {
  // The numbering as given is often the best band for generated meshes: on a nine-point grid, reverse Cuthill-McKee has
  // twice its bandwidth.
  Ordering order = natural_order(graph.size());
  Index width = bandwidth(graph, order);
  Ordering candidate = reverse_cuthill_mckee(graph);
  if (const Index candidate_width = bandwidth(graph, candidate); candidate_width < width) {
    width = candidate_width;
    order = std::move(candidate);
  }
  if (width <= 1) return {CholeskyKernel::tridiagonal, std::move(order)};
  // Seconds, fitted to benchmarks/kernels.cpp: the band costs size * width^2 multiply-adds, done fast; the supernodes
  // cost their flops, slower, and an overhead for each column.
  constexpr double block = 8, band_rate = 19e9, supernodal_rate = 10e9, supernodal_overhead = 0.6e-6;
  const double size = graph.size(), band_seconds = size * (width + block) * (width + block) / band_rate;
  const double least_supernodal_seconds = size * supernodal_overhead;
  if (band_seconds <= least_supernodal_seconds) return {CholeskyKernel::banded, std::move(order)};
  NestedDissection dissection = nested_dissection(graph);
  if (band_seconds <= least_supernodal_seconds + dissection.factor_flops / supernodal_rate)
    return {CholeskyKernel::banded, std::move(order)};
  return {CholeskyKernel::supernodal, std::move(dissection.order)};
}

std::unique_ptr<SparseCholesky> create_cholesky(CholeskyKernel kernel, const LowerPattern& pattern) {
  switch (kernel) {
    case CholeskyKernel::tridiagonal:
      return create_tridiagonal_cholesky(pattern);
    case CholeskyKernel::banded:
      return create_band_cholesky(pattern);
    case CholeskyKernel::supernodal:
      return create_supernodal_cholesky(pattern);
  }
  throw std::invalid_argument("not a CholeskyKernel");
}

}  // namespace varimesh::linalg
