#include "varimesh/linalg/ordering.h"

#include <gmock/gmock.h>

#include "linalg/test_graphs.h"

namespace varimesh::linalg {
namespace {

bool is_permutation_of_vertices(Ordering order, Index size) {
  std::sort(order.begin(), order.end());
  return order == natural_order(size);
}

TEST(Ordering, InverseUndoesAnOrdering) {
  const Ordering order{2, 0, 3, 1};
  EXPECT_THAT(inverse(order), testing::ElementsAre(1, 3, 0, 2));
}

TEST(Ordering, ReverseCuthillMcKeeRecoversAPath) {
  Random random(1);
  const Graph path = test::shuffled_path(1000, random);
  const Ordering order = reverse_cuthill_mckee(path);
  EXPECT_TRUE(is_permutation_of_vertices(order, 1000));
  EXPECT_EQ(bandwidth(path, order), 1);
}

TEST(Ordering, ReverseCuthillMcKeeFindsTheShortSideOfAGrid) {
  const Graph grid = test::triangulated_grid(50, 7);
  EXPECT_EQ(bandwidth(grid, natural_order(grid.size())), 51);
  EXPECT_LE(bandwidth(grid, reverse_cuthill_mckee(grid)), 9);
}

TEST(Ordering, EveryOrderingCoversDisconnectedGraphs) {
  Random random(2);
  const Graph graph = test::random_graph(300, 200, random);
  EXPECT_TRUE(is_permutation_of_vertices(reverse_cuthill_mckee(graph), 300));
  EXPECT_TRUE(is_permutation_of_vertices(nested_dissection(graph).order, 300));
}

}  // namespace
}  // namespace varimesh::linalg
