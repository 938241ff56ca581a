#include "varimesh/io/vtu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "records.h"
#include "varimesh/io/fields_file.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::io {
namespace {

using testing::ElementsAre;

std::vector<std::byte> from_base64(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::byte> bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<unsigned>(alphabet.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count & 255));
  }
  return bytes;
}

/// The numbers of an array in a file, whose type and length must be as they should.
template <class Number>
std::vector<Number> array(const std::string& file, const std::string& type, const std::string& name) {
  const std::string start = "<DataArray type=\"" + type + "\" Name=\"" + name + "\"";
  const std::size_t tag = file.find(start);
  if (tag == std::string::npos) throw std::out_of_range("no array " + name);
  const std::size_t begin = file.find('>', tag) + 1;
  const auto bytes = from_base64(std::string_view(file).substr(begin, file.find('<', begin) - begin));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  EXPECT_EQ(bytes.size(), sizeof(length) + length);
  std::vector<Number> values(length / sizeof(Number));
  std::memcpy(values.data(), bytes.data() + sizeof(length), length);
  return values;
}

Vector numbers(const std::string& file, const std::string& name) {
  const auto values = array<double>(file, "Float64", name);
  return Vector::Map(values.data(), static_cast<Eigen::Index>(values.size()));
}

bool has(const std::string& file, const std::string& name) {
  return file.find("Name=\"" + name + "\"") != std::string::npos;
}

TEST(Vtu, WritesEveryCellType) {
  using mesh::CellType;
  for (const auto& [mesh, type] :
       {std::pair{mesh::create_interval(2), 3}, std::pair{mesh::create_rectangle(CellType::triangle, {2, 1}), 5},
        std::pair{mesh::create_rectangle(CellType::quadrilateral, {2, 1}), 9},
        std::pair{mesh::create_box(CellType::tetrahedron, {1, 1, 1}), 10},
        std::pair{mesh::create_box(CellType::hexahedron, {2, 1, 1}), 12}}) {
    const std::string file = VtuGrid(mesh).format({}, {});
    const auto cells = static_cast<std::size_t>(mesh.num_cells());
    EXPECT_EQ(array<std::uint8_t>(file, "UInt8", "types"), std::vector(cells, static_cast<std::uint8_t>(type)));
    EXPECT_EQ(array<std::int64_t>(file, "Int64", "connectivity"),
              std::vector<std::int64_t>(mesh.cell_nodes.begin(), mesh.cell_nodes.end()));
    const auto offsets = array<std::int64_t>(file, "Int64", "offsets");
    ASSERT_EQ(offsets.size(), cells);
    EXPECT_EQ(offsets.front(), topology(mesh.cell_type).num_nodes);
    EXPECT_EQ(offsets.back(), static_cast<std::int64_t>(mesh.cell_nodes.size()));
    const Vector points = numbers(file, "Points");
    ASSERT_EQ(points.size(), 3 * mesh.num_nodes());
    for (Index v = 0; v < mesh.num_nodes(); ++v) EXPECT_EQ(Point(points.segment<3>(3 * v)), mesh.nodes[v]);
  }
}

TEST(Vtu, WritesPointsWithoutAMesh) {
  const std::string file = VtuGrid(std::vector<Point>{{0, 1, 2}, {3, 4, 5}}).format({}, {});
  EXPECT_NE(file.find("<Piece NumberOfPoints=\"2\" NumberOfCells=\"2\">"), std::string::npos);
  EXPECT_THAT(array<std::uint8_t>(file, "UInt8", "types"), ElementsAre(1, 1));
  EXPECT_THAT(array<std::int64_t>(file, "Int64", "connectivity"), ElementsAre(0, 1));
}

TEST(Vtu, EscapesNamesAndKeepsNan) {
  const std::string file =
      VtuGrid(mesh::create_interval(1))
          .format({{"<\"a\" & b>", std::vector<double>{1, std::nan("")}}}, {{"number", std::vector<std::int64_t>{-7}}});
  EXPECT_TRUE(std::isnan(numbers(file, "&lt;&quot;a&quot; &amp; b&gt;")[1]));
  EXPECT_THAT(array<std::int64_t>(file, "Int64", "number"), ElementsAre(-7));
}

TEST(Vtu, RefusesAnArrayOfTheWrongLength) {
  const VtuGrid grid(mesh::create_interval(2));
  EXPECT_THROW(grid.format({{"a", std::vector<double>(2)}}, {}), std::invalid_argument);
  EXPECT_THROW(grid.format({}, {{"a", std::vector<double>(3)}}), std::invalid_argument);
}

std::vector<std::string> names(const std::vector<FileContent>& files) {
  std::vector<std::string> all;
  for (const auto& file : files) all.push_back(file.file.string());
  return all;
}

TEST(FieldsFile, HasSummariesErrorsAndConductivities) {
  const auto problem = test::sample_problem(2);
  const auto method = test::sample_fit(problem, test::SampleFamily::diagonal);
  const std::string file = format_fields(problem, method).front().bytes;
  EXPECT_EQ(numbers(file, "kappa_mean"), method.kappa.mean);
  EXPECT_EQ(numbers(file, "kappa_sd"), method.kappa.sd);
  EXPECT_EQ(numbers(file, "kappa_q05"), method.kappa.q05);
  EXPECT_EQ(numbers(file, "kappa_q50"), method.kappa.q50);
  EXPECT_EQ(numbers(file, "kappa_q95"), method.kappa.q95);
  EXPECT_EQ(numbers(file, "kappa_truth"), problem.truth->kappa);
  EXPECT_EQ(numbers(file, "kappa_error"), method.kappa.mean - problem.truth->kappa);
  EXPECT_TRUE(numbers(file, "conductivity_at_mean").isApprox(method.kappa.mean.array().exp().matrix()));
  EXPECT_TRUE(numbers(file, "conductivity_q05").isApprox(method.kappa.q05.array().exp().matrix()));
  EXPECT_TRUE(numbers(file, "conductivity_q50").isApprox(method.kappa.q50.array().exp().matrix()));
  EXPECT_TRUE(numbers(file, "conductivity_q95").isApprox(method.kappa.q95.array().exp().matrix()));
  EXPECT_TRUE(numbers(file, "conductivity_truth").isApprox(problem.truth->kappa.array().exp().matrix()));
  EXPECT_EQ(numbers(file, "u_at_mean"), method.u_at_mean);
  EXPECT_EQ(numbers(file, "u_mean"), method.u.mean);
  EXPECT_EQ(numbers(file, "u_sd"), method.u.sd);
  EXPECT_EQ(numbers(file, "u_truth"), problem.truth->u);
  EXPECT_EQ(numbers(file, "u_error"), method.u.mean - problem.truth->u);
}

TEST(FieldsFile, LeavesOutWhatIsNotKnown) {
  auto problem = test::sample_problem(3);
  problem.truth.reset();
  problem.sensors = {};
  auto method = test::sample_chains(problem);
  method.shown_draws.clear();
  const auto files = format_fields(problem, method);
  EXPECT_THAT(names(files), ElementsAre("fields.vtu", "fields.pvd"));
  for (const char* name : {"kappa_truth", "kappa_error", "conductivity_truth", "u_truth", "u_error"})
    EXPECT_FALSE(has(files[0].bytes, name)) << name;
}

TEST(FieldsFile, GivesCellsThatShareAnUnknownItsValue) {
  auto problem = test::sample_problem(1);
  problem.unknown_of_cell = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 0};
  problem.positions.resize(3);
  problem.truth.reset();
  const auto method = test::sample_chains(problem);
  const auto files = format_fields(problem, method);
  const Vector mean = numbers(files[0].bytes, "kappa_mean");
  const Vector draw = numbers(files[2].bytes, "kappa");
  for (Index c = 0; c < 12; ++c) {
    EXPECT_EQ(mean[c], method.kappa.mean[problem.unknown_of_cell[c]]);
    EXPECT_EQ(draw[c], method.draws.chain(0)(problem.unknown_of_cell[c], 0));
  }
  EXPECT_THAT(array<std::int64_t>(files[0].bytes, "Int64", "unknown"), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 0));
}

TEST(FieldsFile, ShowsWhatIsKnownWithoutUncertainty) {
  auto problem = test::sample_problem(1);
  problem.unknown_of_cell = {0, 0, 0, 0, -1, -1, -1, -1, 1, 1, 1, 0};
  problem.known_kappa.setConstant(12, std::numeric_limits<double>::quiet_NaN());
  problem.known_kappa.segment(4, 4).setConstant(1.5);
  problem.positions.resize(2);
  problem.truth.reset();
  const auto files = format_fields(problem, test::sample_chains(problem));
  const std::string& fields = files[0].bytes;
  for (const char* name : {"kappa_mean", "kappa_q05", "kappa_q95"}) EXPECT_EQ(numbers(fields, name)[5], 1.5) << name;
  EXPECT_EQ(numbers(fields, "kappa_sd")[5], 0);
  EXPECT_GT(numbers(fields, "kappa_sd")[3], 0);
  EXPECT_EQ(numbers(fields, "conductivity_q95")[5], std::exp(1.5));
  EXPECT_EQ(numbers(files[2].bytes, "kappa")[5], 1.5);
  EXPECT_THAT(array<std::int64_t>(fields, "Int64", "unknown"), ElementsAre(0, 0, 0, 0, -1, -1, -1, -1, 1, 1, 1, 0));
}

TEST(FieldsFile, HasAFieldOnNodesAtPoints) {
  const auto problem = test::sample_problem(2, result::Support::nodes);
  const auto method = test::sample_chains(problem);
  const auto files = format_fields(problem, method);
  for (const auto& file : {files[0].bytes, files[2].bytes}) {
    EXPECT_LT(file.find("<PointData>"), file.find("kappa"));
    EXPECT_GT(file.find("</PointData>"), file.rfind("kappa"));
  }
  EXPECT_EQ(numbers(files[0].bytes, "kappa_mean"), method.kappa.mean);
  EXPECT_EQ(numbers(files[0].bytes, "kappa_error"), method.kappa.mean - problem.truth->kappa);
  EXPECT_TRUE(numbers(files[0].bytes, "conductivity_q95").isApprox(method.kappa.q95.array().exp().matrix()));
  EXPECT_FALSE(has(files[0].bytes, "unknown"));
  EXPECT_EQ(numbers(files[2].bytes, "kappa"), method.draws.chain(0).col(0));
}

TEST(FieldsFile, PlaysTheShownDraws) {
  const auto problem = test::sample_problem(2);
  auto method = test::sample_chains(problem);
  method.shown_draws = {3, 25, 59};  // of 20 in each chain
  const auto files = format_fields(problem, method);
  ASSERT_THAT(names(files), ElementsAre("fields.vtu", "sensors.vtu", "draws/draw-000.vtu", "draws/draw-001.vtu",
                                        "draws/draw-002.vtu", "fields.pvd"));
  EXPECT_EQ(numbers(files[2].bytes, "kappa"), method.draws.chain(0).col(3));
  EXPECT_EQ(numbers(files[3].bytes, "kappa"), method.draws.chain(1).col(5));
  EXPECT_EQ(numbers(files[4].bytes, "kappa"), method.draws.chain(2).col(19));
  for (Index i = 0; i < 3; ++i)
    EXPECT_EQ(numbers(files[static_cast<std::size_t>(2 + i)].bytes, "u"), method.shown_u.col(i));
  EXPECT_NE(files[5].bytes.find("<DataSet timestep=\"25\" file=\"draws/draw-001.vtu\"/>"), std::string::npos);
}

TEST(FieldsFile, HasTheSensors) {
  auto problem = test::sample_problem(2);
  problem.sensors.sigma[1] = 0.5;
  problem.sensors.count[1] = 4;
  const auto method = test::sample_fit(problem, test::SampleFamily::diagonal);
  const std::string file = format_fields(problem, method)[1].bytes;
  EXPECT_EQ(numbers(file, "measured"), problem.sensors.mean);
  EXPECT_EQ(numbers(file, "predicted_mean"), method.predicted.mean);
  EXPECT_EQ(numbers(file, "predicted_sd"), method.predicted.sd);
  EXPECT_EQ(numbers(file, "standard_error")[1], 0.25);
  EXPECT_DOUBLE_EQ(numbers(file, "standardised_residual")[1],
                   (problem.sensors.mean[1] - method.predicted.mean[1]) / 0.25);
  problem.sensors.mean = problem.sensors.sigma = problem.sensors.count = Vector();
  const std::string without = format_fields(problem, method)[1].bytes;
  EXPECT_TRUE(has(without, "predicted_mean"));
  EXPECT_FALSE(has(without, "measured"));
  EXPECT_FALSE(has(without, "standard_error"));
}

TEST(FieldsFile, NeedsAnAnswer) {
  EXPECT_THROW(format_fields(test::sample_problem(1), result::MethodRecord{}), std::invalid_argument);
}

}  // namespace
}  // namespace varimesh::io
