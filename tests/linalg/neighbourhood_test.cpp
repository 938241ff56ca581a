#include "varimesh/linalg/neighbourhood.h"

#include <gmock/gmock.h>

#include "linalg/test_graphs.h"
#include "varimesh/linalg/ordering.h"

namespace varimesh::linalg {
namespace {

using testing::ElementsAre;

TEST(Neighbourhood, ItemsThatShareALabelAreNeighbours) {
  // A line of four cells with two nodes each.
  const std::vector<Index> nodes{0, 1, 1, 2, 2, 3, 3, 4};
  const Graph graph = sharing_graph(nodes, 2, 5);
  EXPECT_THAT(graph.neighbours(0), ElementsAre(1));
  EXPECT_THAT(graph.neighbours(1), ElementsAre(0, 2));
  EXPECT_THAT(graph.neighbours(3), ElementsAre(2));
}

TEST(Neighbourhood, NStepsGiveABandOnALine) {
  std::vector<Index> nodes;
  for (Index c = 0; c < 32; ++c) nodes.insert(nodes.end(), {c, c + 1});
  const Graph graph = neighbourhoods(sharing_graph(nodes, 2, 33), 10);
  EXPECT_EQ(bandwidth(graph, natural_order(32)), 10);
  EXPECT_EQ(graph.degree(16), 20);
}

TEST(Neighbourhood, AgreesWithPowersOfTheAdjacencyMatrix) {
  Random random(1);
  const Graph graph = test::random_graph(30, 40, random);
  Matrix adjacency = Matrix::Identity(30, 30);
  for (Index v = 0; v < 30; ++v)
    for (const Index w : graph.neighbours(v)) adjacency(v, w) = 1;
  const Matrix reached = adjacency * adjacency * adjacency;
  const Graph three = neighbourhoods(graph, 3);
  for (Index v = 0; v < 30; ++v) {
    std::vector<Index> expected;
    for (Index w = 0; w < 30; ++w)
      if (w != v && reached(v, w) > 0) expected.push_back(w);
    EXPECT_THAT(three.neighbours(v), testing::ElementsAreArray(expected));
  }
}

}  // namespace
}  // namespace varimesh::linalg
