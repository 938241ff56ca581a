#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "varimesh/linalg/clique_tree.h"
#include "varimesh/parallel.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

/// Disjoint subtrees that threads can work on independently, and the cliques above them.
struct TreePartition {
  std::vector<std::vector<Index>> subtrees;  ///< cliques of each, ascending; the most work first
  std::vector<Index> top;                    ///< ascending
};

/// Splits a tree into subtrees small enough to keep so many threads busy; with one thread all is top.
TreePartition partition_tree(const CliqueTree& tree, int threads);

/// Calls work(subtree) for each subtree on up to `threads` threads.
template <class Work>
void for_each_subtree(const TreePartition& partition, int threads, const Work& work) {
  parallel_for(static_cast<Index>(partition.subtrees.size()), threads,
               [&](Index k) { work(partition.subtrees[static_cast<std::size_t>(k)]); });
}

/// From the leaves to the roots. For each clique, visit(clique, front) gets the (rows x rows) sum of what its children
/// passed up, lower triangle, and leaves in its last (separator) block what is passed on to the parent. Stops early if
/// a visit returns false.
template <class Visit>
bool visit_upward(const CliqueTree& tree, int threads, const Visit& visit) {
  std::vector<Matrix> passed_up(static_cast<std::size_t>(tree.num_cliques()));
  std::atomic<bool> good = true;
  const auto work = [&](const std::vector<Index>& cliques) {
    Matrix front;
    for (const Index c : cliques) {
      if (!good) return;
      throw_if_interrupted();
      const CliqueTree::Clique clique = tree.clique(c);
      front.setZero(clique.rows, clique.rows);
      for (const Index child : tree.children(c)) {
        Matrix& update = passed_up[child];
        const auto place = tree.clique(child).place_in_parent;
        for (Index j = 0; j < update.cols(); ++j) {
          double* target = front.col(place[j]).data();
          for (Index i = j; i < update.rows(); ++i) target[place[i]] += update(i, j);
        }
        update.resize(0, 0);
      }
      if (!visit(clique, front)) good = false;
      passed_up[c] = front.bottomRightCorner(clique.separator(), clique.separator());
    }
  };
  const TreePartition partition = partition_tree(tree, threads);
  for_each_subtree(partition, threads, work);
  work(partition.top);
  return good;
}

/// From the roots to the leaves. For each clique, visit(clique, full) gets `count` symmetric (rows x rows) matrices
/// whose last (separator) blocks are those of the parent's, and fills in their first `columns` columns below the
/// diagonal. Stops early if a visit returns false.
template <std::size_t count, class Visit>
bool visit_downward(const CliqueTree& tree, int threads, const Visit& visit) {
  using Fronts = std::array<Matrix, count>;
  std::vector<std::unique_ptr<Fronts>> kept(static_cast<std::size_t>(tree.num_cliques()));
  std::vector<std::atomic<Index>> unvisited_children(kept.size());
  for (Index c = 0; c < tree.num_cliques(); ++c) unvisited_children[c] = static_cast<Index>(tree.children(c).size());
  std::atomic<bool> good = true;
  const auto work = [&](const std::vector<Index>& cliques) {
    for (auto at = cliques.rbegin(); at != cliques.rend() && good; ++at) {
      throw_if_interrupted();
      const CliqueTree::Clique clique = tree.clique(*at);
      auto fronts = std::make_unique<Fronts>();
      for (std::size_t k = 0; k < count; ++k) {
        Matrix& front = (*fronts)[k];
        front.resize(clique.rows, clique.rows);
        for (Index j = 0; j < clique.separator(); ++j) {
          const double* source = (*kept[clique.parent])[k].col(clique.place_in_parent[j]).data();
          double* target = front.col(clique.columns + j).data() + clique.columns;
          for (Index i = 0; i < clique.separator(); ++i) target[i] = source[clique.place_in_parent[i]];
        }
      }
      if (!visit(clique, *fronts)) good = false;
      if (clique.parent >= 0 && --unvisited_children[clique.parent] == 0) kept[clique.parent].reset();
      if (tree.children(*at).empty()) continue;
      for (Matrix& front : *fronts) {
        for (Index j = 0; j < clique.columns; ++j)
          front.row(j).tail(clique.rows - j) = front.col(j).tail(clique.rows - j).transpose();
      }
      kept[*at] = std::move(fronts);
    }
  };
  const TreePartition partition = partition_tree(tree, threads);
  work(partition.top);
  for_each_subtree(partition, threads, work);
  return good;
}

}  // namespace varimesh::linalg
