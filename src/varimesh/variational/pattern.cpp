#include "varimesh/variational/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/linalg/neighbourhood.h"

namespace varimesh::variational {
namespace {

/// The graph with the edges of a sparse matrix added.
linalg::Graph unite(const linalg::Graph& graph, const inverse::SparseMatrix& matrix) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index v = 0; v < graph.size(); ++v) {
    if (v % 256 == 0) throw_if_interrupted();
    for (const Index w : graph.neighbours(v)) {
      if (w < v) edges.emplace_back(v, w);
    }
    for (inverse::SparseMatrix::InnerIterator entry(matrix, v); entry; ++entry) {
      if (entry.row() < v) edges.emplace_back(v, static_cast<Index>(entry.row()));
    }
  }
  return linalg::create_graph(graph.size(), edges);
}

/// Joins all vertices at most `width` apart in an ordering.
linalg::Graph band_graph(const linalg::Ordering& order, Index width) {
  const auto size = static_cast<Index>(order.size());
  std::vector<std::pair<Index, Index>> edges;
  for (Index k = 0; k < size; ++k) {
    for (Index l = std::max(0, k - width); l < k; ++l)
      edges.emplace_back(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(l)]);
  }
  return linalg::create_graph(size, edges);
}

/// The graph with further vertices behind the others, which are joined with all; they come last in the ordering, too.
linalg::Graph join_scalars(const linalg::Graph& graph, Index scalars, linalg::Ordering& order) {
  if (scalars == 0) return graph;
  std::vector<std::pair<Index, Index>> edges;
  for (Index v = 0; v < graph.size() + scalars; ++v) {
    for (Index s = graph.size(); s < v; ++s) edges.emplace_back(v, s);
    if (v >= graph.size()) {
      order.push_back(v);
      for (Index w = 0; w < graph.size(); ++w) edges.emplace_back(v, w);
    } else {
      for (const Index w : graph.neighbours(v)) {
        if (w < v) edges.emplace_back(v, w);
      }
    }
  }
  return linalg::create_graph(graph.size() + scalars, edges);
}

constexpr double max_entries = 5e8;  // several matrices of 4 GB

void require_fit(double entries) {
  if (entries > max_entries)
    throw InputError(fmt::format(
        "the sparse precision matrix would have {:.1e} entries, and at most {:.0e} are allowed: take smaller "
        "neighbourhoods or the pattern \"graph\"",
        entries, max_entries));
}

}  // namespace

std::shared_ptr<const linalg::CliqueTree> create_pattern(const linalg::Graph& neighbours, Index n, PatternKind kind,
                                                         const inverse::SparseMatrix* prior_precision, Index scalars) {
  if (n < 0) throw InputError(fmt::format("expected neighbourhoods of 0 or more steps, found {}", n));
  linalg::Graph graph = n > 0 ? linalg::neighbourhoods(neighbours, n) : linalg::create_graph(neighbours.size(), {});
  if (prior_precision) {
    if (prior_precision->rows() != graph.size() + scalars)
      throw InputError(fmt::format("the prior has {} unknowns, but the mesh has {} cells",
                                   prior_precision->rows() - scalars, graph.size()));
    graph = unite(graph, *prior_precision);
  }
  if (kind == PatternKind::band) {
    linalg::Ordering order = linalg::reverse_cuthill_mckee(graph);
    const Index width = linalg::bandwidth(graph, order);
    require_fit(static_cast<double>(graph.size()) * width);
    const linalg::Graph all = join_scalars(band_graph(order, width), scalars, order);
    return std::make_shared<linalg::CliqueTree>(all, order, linalg::Amalgamation::none);
  }
  linalg::Ordering order = linalg::nested_dissection(graph).order;
  graph = join_scalars(graph, scalars, order);
  auto tree = std::make_shared<linalg::CliqueTree>(graph, order, linalg::Amalgamation::relaxed);
  require_fit(static_cast<double>(tree->num_entries()));
  return tree;
}

}  // namespace varimesh::variational
