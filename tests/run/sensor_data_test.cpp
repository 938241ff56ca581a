#include "varimesh/run/sensor_data.h"

#include <gmock/gmock.h>

#include "expect_input_error.h"
#include "problems.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::run {
namespace {

using testing::ElementsAre;

const mesh::Mesh& line() {
  static const mesh::Mesh mesh = mesh::create_interval(4);
  return mesh;
}

SensorData read(std::string_view text, std::optional<double> sigma = {}, std::optional<Index> replicates = {}) {
  return read_sensor_data(io::parse_csv(text, "data.csv"), line(), sigma, replicates);
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

TEST(SensorData, FaultsNameFileAndLine) {
  EXPECT_INPUT_ERROR(read("x,value,count\n0,1,1.5\n", 1), "data.csv:2: count: expected a whole number, found 1.5");
  EXPECT_INPUT_ERROR(read_sensor_data(io::parse_csv("node,y,value\n0,0,1\n", "d.csv"),
                                      mesh::create_rectangle(mesh::CellType::triangle, {2, 2}), 1, {}),
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
