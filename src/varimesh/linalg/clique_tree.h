#pragma once

#include <span>
#include <vector>

#include "varimesh/linalg/ordering.h"
#include "varimesh/linalg/supernodes.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

/// A pattern closed under elimination, as the tree of its cliques. Vertices are renumbered in elimination order. Clique
/// c owns `columns` consecutive vertices from `first`; its other members, the separator, are owned by cliques further
/// up the tree and are all members of its parent.
///
/// A symmetric matrix on the pattern is one vector of `num_entries` values: for each clique, in order, the dense (rows
/// x columns) block of its own columns, column-major, of which the lower trapezoid counts.
class CliqueTree {
 public:
  struct Clique {
    Index first, columns, rows, parent;      ///< parent -1: a root
    std::size_t entries;                     ///< where its block starts
    std::span<const Index> members;          ///< ascending: its own columns, then the separator
    std::span<const Index> place_in_parent;  ///< of each member of the separator, among the parent's members

    Index separator() const { return rows - columns; }
  };

  /// The fill-in closure of a graph whose vertices are eliminated in about this order (postordered here).
  CliqueTree(const Graph& graph, const Ordering& order, Amalgamation amalgamation);

  Index size() const { return static_cast<Index>(order_.size()); }
  Index num_cliques() const { return static_cast<Index>(first_.size()) - 1; }
  std::size_t num_entries() const { return entries_.back(); }
  Index largest_separator() const { return largest_separator_; }
  Clique clique(Index c) const;
  std::span<const Index> children(Index c) const;

  /// order()[k] is the graph's vertex that is numbered k here.
  const Ordering& order() const { return order_; }

  /// Where entry (i, j), i >= j, of this numbering stands, or num_entries() if the pattern does not have it.
  std::size_t find(Index i, Index j) const;

 private:
  Ordering order_;
  std::vector<Index> first_, parent_, clique_of_vertex_;
  std::vector<Index> member_start_, members_, place_in_parent_;
  std::vector<Index> child_start_, children_;
  std::vector<std::size_t> entries_;
  Index largest_separator_ = 0;
};

}  // namespace varimesh::linalg
