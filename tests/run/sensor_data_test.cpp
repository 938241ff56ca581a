#include "varimesh/run/sensor_data.h"

#include <gmock/gmock.h>

#include "expect_input_error.h"
#include "problems.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/run/sensor_columns.h"

namespace varimesh::run {
namespace {

using testing::ElementsAre;

const mesh::Mesh& line() {
  static const mesh::Mesh mesh = mesh::create_interval(4);
  return mesh;
}

SensorData read(std::string_view text, std::optional<double> sigma = {}, std::optional<Index> replicates = {}) {
  NoiseConfig noise;
  noise.sigma = sigma;
  return read_sensor_data(io::parse_csv(text, "data.csv"), line(), noise, replicates);
}

TEST(SensorData, RowsAtTheSamePlaceAreReplicates) {
  const SensorData data = read("x,value\n0.25,1\n0.5,7\n0.25,3\n", 0.1);
  ASSERT_EQ(data.sensors.size(), 2);
  EXPECT_THAT(data.observations.mean, ElementsAre(2, 7));
  EXPECT_THAT(data.observations.count, ElementsAre(2, 1));
  const Matrix replicates = (Matrix(2, 1) << 1, 3).finished();
  EXPECT_NEAR(data.observations.constant,
              inverse::observe_replicates(replicates, Vector::Constant(1, 0.1)).constant +
                  inverse::observe_replicates(Matrix::Constant(1, 1, 7), Vector::Constant(1, 0.1)).constant,
              1e-12);
}

TEST(SensorData, AMeanAndACountAreReadFromColumnOrKey) {
  EXPECT_THAT(read("node,value,count\n1,5,3\n2,6,4\n", 0.1).observations.count, ElementsAre(3, 4));
  EXPECT_THAT(read("node,value\n1,5\n2,6\n", 0.1, 5).observations.count, ElementsAre(5, 5));
}

TEST(SensorData, SigmaMayDifferBetweenSensors) {
  EXPECT_THAT(read("node,value,sigma\n1,5,0.1\n2,6,0.2\n").observations.sigma, ElementsAre(0.1, 0.2));
}

TEST(SensorData, AColumnSigmaGoesBeforeTheKey) {
  EXPECT_THAT(read("x,value,sigma\n0,1,2\n", 1).observations.sigma, ElementsAre(2));
}

TEST(SensorData, ASensorOutsideIsNamedByItsLine) {
  const fem::EllipticProblem problem(line(), fem::one_per_cell(line()), {},
                                     {test::dirichlet("left", test::constant(0))});
  const Sensors sensors = read_sensors(io::parse_csv("x\n0.5\n# far\n3\n", "where.csv"), line());
  EXPECT_INPUT_ERROR(sensor_functionals(sensors, line(), problem),
                     "where.csv:4: the sensor at (3) is outside the mesh");
}

const mesh::Mesh& square() {
  static const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {2, 2});
  return mesh;
}

Sensors read_on_square(std::string_view text) {
  return read_sensors(io::parse_csv(text, "wells.csv", sensor_texts(2)), square());
}

TEST(SensorColumns, LabelsAreKeptWhateverTheirColumnIsCalled) {
  EXPECT_THAT(read_on_square("Well,x,y\nA 1,0,0\n\"B, deep\",1,0\n").labels, ElementsAre("A 1", "B, deep"));
  EXPECT_THAT(read_on_square("id,x,y,name\n1,0,0,a\n2,1,0,b\n").labels, ElementsAre("a", "b"));
  EXPECT_THAT(read_on_square("id,x,y\n7,0,0\n9,1,0\n").labels, ElementsAre("7", "9"));
  const Sensors other = read_on_square("x,y,depth,bohrung\n0,0,3,BK4\n1,0,5,BK5\n");
  EXPECT_THAT(other.labels, ElementsAre("BK4", "BK5"));
  EXPECT_THAT(other.notes, ElementsAre("wells.csv: the column 'depth' is ignored"));
}

TEST(SensorColumns, TheThirdCoordinateOnAFlatMeshIsIgnoredWithANote) {
  const Sensors sensors = read_on_square("x,y,z\n0,0,12\n1,0,\n");
  EXPECT_EQ(sensors.size(), 2);
  EXPECT_THAT(sensors.notes, ElementsAre("wells.csv: the column 'z' is ignored (the mesh is 2D)"));
  EXPECT_TRUE(sensors.labels.empty());
}

TEST(SensorColumns, WhatMeansAColumnThatIsMissingIsRefusedWithAHint) {
  const std::string expected = ", expected 'node', 'x', 'y', 'value', 'sigma', 'count'; ";
  EXPECT_INPUT_ERROR(read_on_square("x,y,std\n0,0,1\n"),
                     "wells.csv: unknown column 'std'" + expected + "is this what is called 'sigma' here?");
  EXPECT_INPUT_ERROR(read_on_square("x,y,Head\n0,0,1\n"),
                     "wells.csv: unknown column 'Head'" + expected + "is this what is called 'value' here?");
  EXPECT_INPUT_ERROR(read_on_square("x,y,sigmaa\n0,0,1\n"),
                     "wells.csv: unknown column 'sigmaa'" + expected + "did you mean 'sigma'?");
  EXPECT_THAT(read_on_square("x,y,sigma,std\n0,0,1,2\n").notes, ElementsAre("wells.csv: the column 'std' is ignored"));
}

TEST(SensorColumns, TwoNamesAtOnePlaceAreOneSensorWithANote) {
  const Sensors sensors = read_on_square("x,y,name\n0,0,A\n1,0,B\n0,0,C\n");
  EXPECT_THAT(sensors.labels, ElementsAre("A", "B"));
  EXPECT_THAT(sensors.notes,
              ElementsAre("wells.csv: lines 2 and 4 are at one place, so they count as one sensor, 'A', not 'C'"));
  EXPECT_INPUT_ERROR(read_on_square("x,y,name\n0,0," + std::string(201, 'a') + "\n"),
                     "wells.csv:2: expected a label of at most 200 characters, found 201");
}

TEST(SensorData, FaultsNameFileAndLine) {
  EXPECT_INPUT_ERROR(read("x,value,count\n0,1,1.5\n", 1), "data.csv:2: count: expected a whole number, found 1.5");
  EXPECT_INPUT_ERROR(read_sensor_data(io::parse_csv("node,y,value\n0,0,1\n", "d.csv"),
                                      mesh::create_rectangle(mesh::CellType::triangle, {2, 2}), {}, {}),
                     "d.csv: expected the column 'node' or coordinates, found both");
  EXPECT_INPUT_ERROR(read("x,value,sigma\n0,1,1e-170\n"),
                     "sensor 0: expected a sigma whose square is a double, found 1e-170");
  EXPECT_INPUT_ERROR(
      read("x,valeu\n0,1\n", 1),
      "data.csv: unknown column 'valeu', expected 'node', 'x', 'value', 'sigma', 'count'; did you mean 'value'?");
  EXPECT_INPUT_ERROR(read("node,x,value\n0,0,1\n", 1),
                     "data.csv: expected the column 'node' or coordinates, found both");
  EXPECT_INPUT_ERROR(read("node,value\n1,1\n5,1\n", 1), "data.csv:3: expected a node from 0 to 4, found 5");
  EXPECT_INPUT_ERROR(read("node,value\n1.5,1\n", 1), "data.csv:2: expected a node from 0 to 4, found 1.5");
  EXPECT_INPUT_ERROR(read("x,value\n0,1\n"),
                     "data.csv: expected a column 'sigma' or the key observations.sigma, found neither");
  EXPECT_INPUT_ERROR(read("x,value,sigma\n0,1,0\n"), "data.csv:2: sigma: expected a positive number, found 0");
  EXPECT_INPUT_ERROR(read("x,value,sigma\n0,1,1\n0,1,2\n"),
                     "data.csv:3: sigma: expected 1 as in the other rows of this sensor, found 2");
  EXPECT_INPUT_ERROR(read("x,value,count\n0,1,2\n0,1,2\n", 1),
                     "data.csv:2: expected one row a sensor beside a column 'count', found several");
  EXPECT_INPUT_ERROR(
      read("x,value,count\n0,1,2\n", 1, 2),
      "data.csv: the number of replicates is both the column 'count' and a key of the problem: expected one");
  EXPECT_INPUT_ERROR(read("x,value\n0,1\n0,2\n0.5,1\n", 1, 2),
                     "data.csv:4: expected 2 rows for this sensor (observations.replicates), found 1");
}

}  // namespace
}  // namespace varimesh::run
