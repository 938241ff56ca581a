#include "varimesh/run/snap_sensors.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "expect_input_error.h"
#include "problems.h"
#include "varimesh/error.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::run {
namespace {

using testing::ElementsAre;

/// The unit disk as so many triangles around its centre.
mesh::Mesh disk(Index sides) {
  mesh::Mesh mesh;
  mesh.cell_type = mesh::CellType::triangle;
  mesh.nodes.emplace_back(Point::Zero());
  for (Index k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    mesh.nodes.emplace_back(std::cos(angle), std::sin(angle), 0);
    mesh.cell_nodes.insert(mesh.cell_nodes.end(), {0, k + 1, (k + 1) % sides + 1});
  }
  return mesh;
}

Sensors at(std::vector<Point> points) {
  Sensors sensors{std::move(points), {}, {}, {}};
  for (std::size_t s = 0; s < sensors.points.size(); ++s) {
    sensors.origin.push_back("wells.csv:" + std::to_string(s + 2));
    sensors.labels.push_back("W" + std::to_string(s));
  }
  return sensors;
}

TEST(SnapSensors, ASensorOnTheCircleMovesByTheHeightOfTheArcOverItsChord) {
  constexpr Index sides = 16;
  constexpr double half = std::numbers::pi / sides;
  const Point on_circle(std::cos(half), std::sin(half), 0);  // in the middle of the first arc
  Sensors sensors = at({Point(0.1, 0.1, 0), on_circle});
  snap_sensors(disk(sides), std::nullopt, sensors);
  EXPECT_EQ(sensors.moved, 1);
  EXPECT_NEAR(sensors.furthest, 1 - std::cos(half), 1e-12);
  EXPECT_LT((sensors.points[1] - std::cos(half) * on_circle).norm(), 1e-8);
  EXPECT_EQ(sensors.points[0], Point(0.1, 0.1, 0));
  EXPECT_THAT(sensors.notes,
              ElementsAre("1 sensor outside the mesh by no more than 0.1 of the nearest cell's diameter, taken at the "
                          "nearest point of its surface: wells.csv:3: 'W1' at (0.980785, 0.19509) is 0.0192 outside"));
  // Of a hexagon the arc is 0.134 high, more than a tenth of its sides.
  Sensors coarse = at({Point(std::cos(std::numbers::pi / 6), 0.5, 0)});
  EXPECT_THROW(snap_sensors(disk(6), std::nullopt, coarse), InputError);
}

TEST(SnapSensors, AllThatAreTooFarOutAreInOneMessage) {
  const mesh::Mesh mesh = test::unit_mesh(mesh::CellType::triangle, 4);
  Sensors sensors = at({Point(1.5, 0.5, 0), Point(0.5, 0.5, 0), Point(-3, -4, 0)});
  EXPECT_INPUT_ERROR(
      snap_sensors(mesh, 0.25, sensors),
      "2 sensors outside the mesh by more than 0.25 (observations.snap): wells.csv:2: 'W0' at (1.5, 0.5) "
      "is 0.5 outside; wells.csv:4: 'W2' at (-3, -4) is 5 outside");
  EXPECT_EQ(sensors.points[0], Point(1.5, 0.5, 0));
}

TEST(SnapSensors, TheToleranceIsKeptToOnEveryCellType) {
  for (const mesh::CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 3);
    const Point half = Point::Constant(0.5), out(1 + 1e-3, 0.5, 0.5);
    Sensors sensors = at({half, out});
    if (mesh.dimension() < 3) sensors.points[0][2] = sensors.points[1][2] = 0;
    if (mesh.dimension() < 2) sensors.points[0][1] = sensors.points[1][1] = 0;
    Sensors refused = sensors;
    snap_sensors(mesh, 2e-3, sensors);
    EXPECT_NEAR(sensors.furthest, 1e-3, 1e-12);
    EXPECT_NEAR(sensors.points[1][0], 1, 1e-7);
    EXPECT_THROW(snap_sensors(mesh, 0.5e-3, refused), InputError);
    EXPECT_THROW(snap_sensors(mesh, 0, refused), InputError);
  }
}

TEST(SnapSensors, LargeCoordinatesDoNotPutASensorOutsideAgain) {
  // As in a national grid: 5 million metres from the origin, cells of 20 m.
  mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {5, 5}, {{{4e6, 4e6 + 100}, {5e6, 5e6 + 100}}});
  Sensors sensors = at({Point(4e6 - 1, 5e6 + 33.3, 0), Point(4e6 + 101.9, 5e6 + 101.9, 0)});
  snap_sensors(mesh, 3, sensors);
  const fem::EllipticProblem problem(mesh, fem::one_per_cell(mesh), {}, {test::dirichlet("left", test::constant(0))});
  EXPECT_EQ(sensor_functionals(sensors, mesh, problem).size(), 2);
}

}  // namespace
}  // namespace varimesh::run
