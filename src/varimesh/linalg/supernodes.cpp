#include "varimesh/linalg/supernodes.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace varimesh::linalg {
namespace {

/// The elimination tree (Liu 1990): the parent of a column is the first row below its diagonal in the factor, -1 if
/// there is none.
std::vector<Index> elimination_tree(const LowerPattern& pattern) {
  const auto size = static_cast<std::size_t>(pattern.size());
  // Row i of the lower triangle, by columns.
  std::vector<Index> start(size + 1, 0), column(pattern.row.size());
  for (const Index i : pattern.row) ++start[i + 1];
  for (std::size_t i = 0; i < size; ++i) start[i + 1] += start[i];
  auto next = start;
  for (Index j = 0; j < pattern.size(); ++j) {
    for (Index e = pattern.start[j]; e < pattern.start[j + 1]; ++e) column[next[pattern.row[e]]++] = j;
  }
  std::vector<Index> parent(size, -1), ancestor(size, -1);
  for (Index i = 0; i < pattern.size(); ++i) {
    for (Index e = start[i]; e < start[i + 1]; ++e) {
      // From a column of row i up to the root of its subtree so far, whose parent is i. Later walks are shorter.
      for (Index j = column[e]; j != -1 && j < i;) {
        const Index above = std::exchange(ancestor[j], i);
        if (above == -1) parent[j] = i;
        j = above;
      }
    }
  }
  return parent;
}

/// Columns that are to become a supernode: so many from `first`, with so many rows in the first of them.
struct Group {
  Index first, columns, rows;
  double zeros;  ///< entries that the factor does not have

  Index end() const { return first + columns; }
};

/// Consecutive columns, each the only child of the next, with the same rows.
std::vector<Group> fundamental_supernodes(const std::vector<Index>& parent, std::span<const Index> count) {
  std::vector<Index> children(parent.size(), 0);
  for (const Index p : parent) {
    if (p >= 0) ++children[p];
  }
  std::vector<Group> groups;
  for (Index j = 0; j < static_cast<Index>(parent.size()); ++j) {
    if (j > 0 && parent[j - 1] == j && count[j - 1] == count[j] + 1 && children[j] == 1)
      ++groups.back().columns;
    else
      groups.push_back({j, 1, count[j], 0});
  }
  return groups;
}

/// Both as one, if `below` follows upon `above`: the columns of `above` get all rows of `below`.
Group merged(const Group& above, const Group& below) {
  const double more_rows = above.columns + below.rows - above.rows;
  return {above.first, above.columns + below.columns, above.columns + below.rows,
          below.zeros + above.zeros + above.columns * more_rows};
}

/// Whether a supernode is worth the zeros in it, for dense operations on few large ones are faster: the smaller, the
/// more of them (Ashcraft and Grimes 1989; Chen, Davis, Hager and Rajamanickam 2008, whose limits these are).
bool is_worthwhile(const Group& group, Amalgamation amalgamation) {
  if (amalgamation == Amalgamation::none) return group.zeros == 0;
  const double columns = group.columns;
  if (columns <= 4) return true;
  const double entries = columns * (columns + 1) / 2 + columns * (group.rows - columns);
  const double share = group.zeros / entries;
  return share == 0 || share < (columns <= 16 ? 0.8 : columns <= 48 ? 0.1 : 0.05);
}

/// From the last to the first: each is merged with the one behind it if that has its parent.
std::vector<Group> amalgamate(const std::vector<Group>& groups, const std::vector<Index>& parent,
                              Amalgamation amalgamation) {
  std::vector<Group> done;
  for (Group group : std::views::reverse(groups)) {
    const Index above = parent[group.end() - 1];
    if (!done.empty() && above >= 0 && above < done.back().end()) {
      const Group both = merged(group, done.back());
      if (is_worthwhile(both, amalgamation)) {
        group = both;
        done.pop_back();
      }
    }
    done.push_back(group);
  }
  std::ranges::reverse(done);
  return done;
}

}  // namespace

Supernodes find_supernodes(const LowerPattern& pattern, std::span<const Index> count, Amalgamation amalgamation) {
  const std::vector<Index> parent = elimination_tree(pattern);
  const std::vector<Group> groups = amalgamate(fundamental_supernodes(parent, count), parent, amalgamation);

  Supernodes result;
  std::size_t num_rows = 0;
  for (const Group& group : groups) num_rows += static_cast<std::size_t>(group.rows);
  result.row.reserve(num_rows);
  result.row_start.push_back(0);
  std::vector<Index> owner(parent.size());
  for (std::size_t s = 0; s < groups.size(); ++s)
    std::fill_n(owner.begin() + groups[s].first, groups[s].columns, static_cast<Index>(s));

  // The rows below are those of the matrix and those of the children, which come before.
  std::vector<Index> first_child(groups.size(), -1), sibling(groups.size(), -1), seen(parent.size(), -1);
  for (Index s = 0; s < static_cast<Index>(groups.size()); ++s) {
    const Group& group = groups[s];
    result.first.push_back(group.first);
    for (Index j = group.first; j < group.end(); ++j) result.row.push_back(j);
    const std::size_t below = result.row.size();
    const auto take = [&](Index row) {
      if (row >= group.end() && std::exchange(seen[row], s) != s) result.row.push_back(row);
    };
    for (Index e = pattern.start[group.first]; e < pattern.start[group.end()]; ++e) take(pattern.row[e]);
    for (Index child = first_child[s]; child >= 0; child = sibling[child]) {
      for (std::size_t k = result.row_start[child]; k < result.row_start[child + 1]; ++k) take(result.row[k]);
    }
    std::sort(result.row.begin() + static_cast<std::ptrdiff_t>(below), result.row.end());
    result.row_start.push_back(result.row.size());
    if (below < result.row.size()) {
      Index& sister = first_child[owner[result.row[below]]];
      sibling[s] = sister;
      sister = s;
    }
  }
  result.first.push_back(pattern.size());
  return result;
}

}  // namespace varimesh::linalg
