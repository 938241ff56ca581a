#include "varimesh/linalg/graph.h"

#include <gmock/gmock.h>

namespace varimesh::linalg {
namespace {

using testing::ElementsAre;

TEST(Graph, NeighboursAreAscendingWithoutLoopsAndRepeats) {
  const Graph graph = create_graph(5, {{3, 1}, {1, 3}, {0, 3}, {2, 2}, {3, 0}, {1, 0}});
  EXPECT_THAT(graph.neighbours(0), ElementsAre(1, 3));
  EXPECT_THAT(graph.neighbours(1), ElementsAre(0, 3));
  EXPECT_THAT(graph.neighbours(2), ElementsAre());
  EXPECT_THAT(graph.neighbours(3), ElementsAre(0, 1));
  EXPECT_EQ(graph.degree(4), 0);
}

}  // namespace
}  // namespace varimesh::linalg
