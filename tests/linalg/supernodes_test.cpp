#include "varimesh/linalg/supernodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "linalg/test_graphs.h"
#include "varimesh/linalg/ordering.h"

namespace varimesh::linalg {
namespace {

/// The rows of every column of the factor, by the definition: eliminating a vertex joins all its later neighbours.
std::vector<std::set<Index>> eliminate(const LowerPattern& pattern) {
  std::vector<std::set<Index>> rows(static_cast<std::size_t>(pattern.size()));
  for (Index j = 0; j < pattern.size(); ++j)
    rows[j].insert(pattern.row.begin() + pattern.start[j], pattern.row.begin() + pattern.start[j + 1]);
  for (Index j = 0; j < pattern.size(); ++j) {
    if (rows[j].size() < 2) continue;
    const Index next = *std::next(rows[j].begin());
    rows[next].insert(std::next(rows[j].begin()), rows[j].end());
  }
  return rows;
}

std::vector<Index> counts(const std::vector<std::set<Index>>& rows) {
  std::vector<Index> result;
  for (const auto& column : rows) result.push_back(static_cast<Index>(column.size()));
  return result;
}

std::vector<LowerPattern> patterns() {
  Random random(5);
  std::vector<LowerPattern> list{lower_pattern(create_graph(4, {}), natural_order(4))};
  for (const Graph& graph : {test::triangulated_grid(9, 14), test::random_graph(120, 200, random),
                             test::random_graph(60, 300, random), test::shuffled_path(50, random)}) {
    list.push_back(lower_pattern(graph, natural_order(graph.size())));
    list.push_back(lower_pattern(graph, nested_dissection(graph).order));
  }
  return list;
}

TEST(Supernodes, WithoutAmalgamationAreExactlyTheFactor) {
  for (const LowerPattern& pattern : patterns()) {
    const auto rows = eliminate(pattern);
    const Supernodes found = find_supernodes(pattern, counts(rows), Amalgamation::none);
    ASSERT_EQ(found.first.back(), pattern.size());
    for (Index s = 0; s < found.size(); ++s) {
      for (Index j = found.first[s]; j < found.first[s + 1]; ++j) {
        const auto below = found.rows(s).subspan(static_cast<std::size_t>(j - found.first[s]));
        EXPECT_EQ(std::vector<Index>(below.begin(), below.end()), std::vector<Index>(rows[j].begin(), rows[j].end()));
      }
    }
  }
}

TEST(Supernodes, ThatAreRelaxedHoldTheFactorAndAreClosedUnderElimination) {
  for (const LowerPattern& pattern : patterns()) {
    const auto rows = eliminate(pattern);
    const Supernodes found = find_supernodes(pattern, counts(rows), Amalgamation::relaxed);
    EXPECT_LE(found.size(), find_supernodes(pattern, counts(rows), Amalgamation::none).size());
    // As a pattern of its own, with the zeros, it fills in no further.
    LowerPattern stored;
    double zeros = 0, entries = 0;
    for (Index s = 0; s < found.size(); ++s) {
      for (Index j = found.first[s]; j < found.first[s + 1]; ++j) {
        const auto below = found.rows(s).subspan(static_cast<std::size_t>(j - found.first[s]));
        EXPECT_TRUE(std::ranges::includes(below, rows[j]));
        stored.row.insert(stored.row.end(), below.begin(), below.end());
        stored.start.push_back(static_cast<Index>(stored.row.size()));
        entries += static_cast<double>(below.size());
        zeros += static_cast<double>(below.size() - rows[j].size());
      }
    }
    EXPECT_LT(zeros, 0.8 * entries);
    const auto closed = counts(eliminate(stored));
    for (Index j = 0; j < pattern.size(); ++j) EXPECT_EQ(closed[j], stored.start[j + 1] - stored.start[j]);
  }
}

}  // namespace
}  // namespace varimesh::linalg
