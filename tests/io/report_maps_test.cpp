#include "varimesh/io/report_maps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "records.h"

namespace varimesh::io {
namespace {

using result::Support;

/// A problem on a mesh too large for a page.
result::ProblemRecord large_problem(mesh::Mesh mesh, Support support = Support::cells) {
  result::ProblemRecord problem;
  problem.mesh = std::move(mesh);
  problem.support = support;
  for (Index c = 0; c < problem.mesh.num_cells() && support == Support::cells; ++c)
    problem.unknown_of_cell.push_back(c);
  problem.positions.resize(support == Support::cells ? problem.unknown_of_cell.size() : problem.mesh.nodes.size());
  return problem;
}

mesh::Mesh triangles() { return mesh::create_rectangle(mesh::CellType::triangle, {200, 180}, {}); }

Vector box_measures(const ReportMaps& maps) {
  const mesh::Mesh& mesh = maps.problem().mesh;
  Vector measures(mesh.num_cells());
  for (Index box = 0; box < mesh.num_cells(); ++box) measures[box] = mesh::signed_measure(mesh, box);
  return measures;
}

TEST(ReportMaps, LeaveASmallMeshAlone) {
  const auto problem = test::sample_problem(2);
  const ReportMaps maps(problem);
  EXPECT_FALSE(maps.in_boxes());
  EXPECT_EQ(&maps.problem(), &problem);
  EXPECT_EQ(maps.kappa(problem.truth->kappa), problem.truth->kappa);
  EXPECT_EQ(maps.u(problem.truth->u), problem.truth->u);
}

TEST(ReportMaps, OfALargeMeshKeepTheTotalOfAField) {
  const auto problem = large_problem(triangles());
  const ReportMaps maps(problem);
  ASSERT_TRUE(maps.in_boxes());
  EXPECT_LE(maps.problem().mesh.num_cells(), 60'000);
  EXPECT_TRUE(maps.problem().one_unknown_per_cell());
  Random random(3);
  const Vector field = random.normal_vector(problem.num_unknowns());
  const double total = field.sum() / problem.num_unknowns();  // all cells have the same area
  // Pieces of cells are sorted into boxes within a third of a box, so that its area is not met exactly.
  const Vector averages = maps.kappa(field);
  EXPECT_NEAR(averages.dot(box_measures(maps)), total, 0.002);
  EXPECT_NEAR(maps.kappa(Vector::Constant(problem.num_unknowns(), 1.5)).minCoeff(), 1.5, 1e-12);
  EXPECT_GE(averages.minCoeff(), field.minCoeff());
  EXPECT_LE(averages.maxCoeff(), field.maxCoeff());
}

TEST(ReportMaps, OfAFieldOnNodesAverageItOverBoxes) {
  const auto problem = large_problem(triangles(), Support::nodes);
  const ReportMaps maps(problem);
  EXPECT_FALSE(maps.problem().on_nodes());
  Vector linear(problem.num_unknowns());
  for (Index v = 0; v < problem.num_unknowns(); ++v) linear[v] = problem.mesh.nodes[v][0];
  const Vector averages = maps.kappa(linear);
  ASSERT_EQ(averages.size(), maps.problem().num_unknowns());
  // A cell has one value, so that a box may be off by a third of a cell.
  for (Index box = 0; box < averages.size(); ++box)
    EXPECT_NEAR(averages[box], maps.problem().positions[box][0], 0.4 / 200);
}

TEST(ReportMaps, OfSharedUnknownsAverageTheirCells) {
  auto problem = large_problem(triangles());
  for (Index c = 0; c < problem.mesh.num_cells(); ++c)
    problem.unknown_of_cell[c] = mesh::centroid(problem.mesh, c)[0] < 0.5 ? 0 : 1;
  problem.positions.resize(2);
  const ReportMaps maps(problem);
  const Vector averages = maps.kappa(Vector::LinSpaced(2, -1, 1));
  for (Index box = 0; box < averages.size(); ++box) {
    const double x = maps.problem().positions[box][0];
    if (std::abs(x - 0.5) < 0.01) continue;
    EXPECT_NEAR(averages[box], x < 0.5 ? -1 : 1, 1e-12);
  }
}

TEST(ReportMaps, LeaveOutWhatIsKnown) {
  auto problem = large_problem(triangles());
  problem.positions.clear();
  problem.known_kappa.setConstant(problem.mesh.num_cells(), std::numeric_limits<double>::quiet_NaN());
  for (Index c = 0; c < problem.mesh.num_cells(); ++c) {
    const Point x = mesh::centroid(problem.mesh, c);
    const bool known = x[0] < 0.5;
    problem.unknown_of_cell[c] = known ? -1 : problem.num_unknowns();
    if (known) problem.known_kappa[c] = 1000;
    if (!known) problem.positions.push_back(x);
  }
  const ReportMaps maps(problem);
  const Vector averages = maps.kappa(Vector::Constant(problem.num_unknowns(), 3));
  EXPECT_LT((averages.array() - 3).abs().maxCoeff(), 1e-12);
  ASSERT_EQ(averages.size(), maps.problem().num_unknowns());
  for (Index box = 0; box < maps.problem().mesh.num_cells(); ++box) {
    const double x = mesh::centroid(maps.problem().mesh, box)[0];
    if (std::abs(x - 0.5) < 0.01) continue;
    EXPECT_EQ(maps.problem().unknown_of_cell[box] < 0, x < 0.5);
  }
}

TEST(ReportMaps, ShowUWhereTheCornersAre) {
  auto problem = large_problem(mesh::create_box(mesh::CellType::tetrahedron, {22, 22, 22}, {}));
  Vector u(problem.mesh.num_nodes());
  for (Index v = 0; v < problem.mesh.num_nodes(); ++v) u[v] = problem.mesh.nodes[v].dot(Point(1, 2, -1));
  problem.truth = result::Truth{Vector::Ones(problem.num_unknowns()), u, Vector::Ones(1)};
  const ReportMaps maps(problem);
  const mesh::Mesh& boxes = maps.problem().mesh;
  EXPECT_EQ(boxes.cell_type, mesh::CellType::hexahedron);
  const Vector shown = maps.u(u);
  ASSERT_EQ(shown.size(), boxes.num_nodes());
  for (Index v = 0; v < boxes.num_nodes(); ++v) EXPECT_NEAR(shown[v], boxes.nodes[v].dot(Point(1, 2, -1)), 1e-9);
  EXPECT_EQ(maps.problem().truth->u, shown);
  EXPECT_EQ(maps.problem().truth->kappa.size(), boxes.num_cells());
  EXPECT_EQ(maps.problem().truth->quantities, Vector::Ones(1));
}

TEST(ReportMaps, OfALongLineHaveNoMoreThanAGraphShows) {
  const auto problem = large_problem(mesh::create_interval(100'000));
  EXPECT_EQ(ReportMaps(problem).problem().mesh.num_cells(), 3000);
}

}  // namespace
}  // namespace varimesh::io
