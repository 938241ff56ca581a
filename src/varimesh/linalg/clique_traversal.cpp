#include "varimesh/linalg/clique_traversal.h"

#include <algorithm>
#include <numeric>

namespace varimesh::linalg {

TreePartition partition_tree(const CliqueTree& tree, int threads) {
  TreePartition partition;
  const auto num_cliques = static_cast<std::size_t>(tree.num_cliques());
  if (threads <= 1) {
    partition.top.resize(num_cliques);
    std::iota(partition.top.begin(), partition.top.end(), 0);
    return partition;
  }
  // Work of each subtree, in multiply-adds of a factorisation.
  std::vector<double> work(num_cliques, 0);
  std::vector<Index> roots;
  for (Index c = 0; c < tree.num_cliques(); ++c) {
    const CliqueTree::Clique clique = tree.clique(c);
    work[c] += static_cast<double>(clique.rows) * clique.rows * clique.columns;
    if (clique.parent >= 0) {
      work[clique.parent] += work[c];
    } else {
      roots.push_back(c);
    }
  }
  double total = 0;
  for (const Index root : roots) total += work[root];
  // Take the top off subtrees that are too large for a fair share.
  constexpr int shares_per_thread = 4;
  const double largest = total / (shares_per_thread * threads);
  std::vector<Index> chosen;
  std::vector<char> is_top(num_cliques, 0);
  while (!roots.empty()) {
    const Index root = roots.back();
    roots.pop_back();
    if (work[root] <= largest) {
      chosen.push_back(root);
      continue;
    }
    is_top[root] = 1;
    for (const Index child : tree.children(root)) roots.push_back(child);
  }
  std::sort(chosen.begin(), chosen.end(),
            [&](Index a, Index b) { return work[a] != work[b] ? work[a] > work[b] : a < b; });
  for (Index c = 0; c < tree.num_cliques(); ++c) {
    if (is_top[c]) partition.top.push_back(c);
  }
  for (const Index root : chosen) {
    std::vector<Index> cliques{root};
    for (std::size_t k = 0; k < cliques.size(); ++k) {
      for (const Index child : tree.children(cliques[k])) cliques.push_back(child);
    }
    std::sort(cliques.begin(), cliques.end());
    partition.subtrees.push_back(std::move(cliques));
  }
  return partition;
}

}  // namespace varimesh::linalg
