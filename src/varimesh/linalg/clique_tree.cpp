#include "varimesh/linalg/clique_tree.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/linalg/cholmod.h"

namespace varimesh::linalg {

CliqueTree::CliqueTree(const Graph& graph, const Ordering& order, Amalgamation amalgamation) {
  CholmodCommon common(CHOLMOD_NATURAL, true);
  const CholmodFactor analysis = cholmod_analysis(lower_pattern(graph, order), common);
  const auto* permutation = static_cast<const int*>(analysis->Perm);
  for (std::size_t k = 0; k < analysis->n; ++k) order_.push_back(order[permutation[k]]);
  // The supernodes of the factor are the cliques.
  Supernodes supernodes = find_supernodes(lower_pattern(graph, order_),
                                          {static_cast<const int*>(analysis->ColCount), analysis->n}, amalgamation);
  if (supernodes.row.size() > std::numeric_limits<Index>::max())
    throw InputError("the pattern is too large: its cliques would have more than 2^31 members");
  first_ = std::move(supernodes.first);
  member_start_.assign(supernodes.row_start.begin(), supernodes.row_start.end());
  members_ = std::move(supernodes.row);

  clique_of_vertex_.resize(order_.size());
  entries_.push_back(0);
  for (Index c = 0; c < num_cliques(); ++c) {
    const Index columns = first_[c + 1] - first_[c], height = member_start_[c + 1] - member_start_[c];
    std::fill_n(clique_of_vertex_.begin() + first_[c], columns, c);
    largest_separator_ = std::max(largest_separator_, height - columns);
    entries_.push_back(entries_.back() + static_cast<std::size_t>(height) * static_cast<std::size_t>(columns));
  }
  // The parent owns the first vertex of the separator.
  parent_.assign(static_cast<std::size_t>(num_cliques()), -1);
  place_in_parent_.assign(members_.size(), -1);
  child_start_.assign(static_cast<std::size_t>(num_cliques()) + 1, 0);
  for (Index c = 0; c < num_cliques(); ++c) {
    const Index columns = first_[c + 1] - first_[c];
    const Index separator = member_start_[c] + columns;
    if (separator == member_start_[c + 1]) continue;
    parent_[c] = clique_of_vertex_[members_[separator]];
    ++child_start_[parent_[c] + 1];
    const auto parent_begin = members_.begin() + member_start_[parent_[c]];
    const auto parent_end = members_.begin() + member_start_[parent_[c] + 1];
    auto position = parent_begin;
    for (Index k = separator; k < member_start_[c + 1]; ++k) {
      position = std::lower_bound(position, parent_end, members_[k]);
      place_in_parent_[k] = static_cast<Index>(position - parent_begin);
    }
  }
  for (Index c = 0; c < num_cliques(); ++c) child_start_[c + 1] += child_start_[c];
  children_.resize(static_cast<std::size_t>(child_start_.back()));
  auto next = child_start_;
  for (Index c = 0; c < num_cliques(); ++c) {
    if (parent_[c] >= 0) children_[next[parent_[c]]++] = c;
  }
}

CliqueTree::Clique CliqueTree::clique(Index c) const {
  const Index columns = first_[c + 1] - first_[c], rows = member_start_[c + 1] - member_start_[c];
  const auto start = static_cast<std::size_t>(member_start_[c]);
  const auto count = static_cast<std::size_t>(rows), own = static_cast<std::size_t>(columns);
  return {first_[c],
          columns,
          rows,
          parent_[c],
          entries_[c],
          std::span(members_).subspan(start, count),
          std::span(place_in_parent_).subspan(start + own, count - own)};
}

std::span<const Index> CliqueTree::children(Index c) const {
  return std::span(children_).subspan(static_cast<std::size_t>(child_start_[c]),
                                      static_cast<std::size_t>(child_start_[c + 1] - child_start_[c]));
}

std::size_t CliqueTree::find(Index i, Index j) const {
  const Clique c = clique(clique_of_vertex_[j]);
  const auto member = std::lower_bound(c.members.begin(), c.members.end(), i);
  if (member == c.members.end() || *member != i) return num_entries();
  return c.entries + static_cast<std::size_t>(j - c.first) * static_cast<std::size_t>(c.rows) +
         static_cast<std::size_t>(member - c.members.begin());
}

}  // namespace varimesh::linalg
