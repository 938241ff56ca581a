#include "varimesh/run/sample.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "expect_input_error.h"
#include "records.h"
#include "varimesh/diagnostics/density.h"
#include "varimesh/io/geotiff.h"

namespace varimesh::run {
namespace {

using testing::ElementsAre;

double value(const Samples& samples, const std::string& name, std::size_t point) {
  const auto place = std::ranges::find(samples.names, name) - samples.names.begin();
  return samples.values.at(static_cast<std::size_t>(place)).at(point);
}

TEST(Sample, OfCellsIsTheCellsOwnAndOfNodesLinear) {
  const auto problem = test::sample_problem(2);
  auto method = test::sample_chains(problem);
  // u = 3 x - y at the nodes, in every draw times its number
  for (Index v = 0; v < problem.mesh.num_nodes(); ++v) {
    const Point& x = problem.mesh.nodes[v];
    method.u.mean[v] = 3 * x[0] - x[1];
    for (Eigen::Index s = 0; s < method.u_draws.cols(); ++s)
      method.u_draws(v, s) = (3 * x[0] - x[1]) * static_cast<double>(s);
  }
  const std::vector<Point> points = {problem.positions[5], Point(0.31, 0.64, 0), Point(7, 7, 0)};
  const Samples samples = sample_result({problem, method}, points);
  EXPECT_EQ(value(samples, "kappa_mean", 0), method.kappa.mean[5]);
  EXPECT_EQ(value(samples, "kappa_q95", 0), method.kappa.q95[5]);
  EXPECT_EQ(value(samples, "conductivity_q50", 0), std::exp(method.kappa.q50[5]));
  const double u = 3 * 0.31 - 0.64;
  EXPECT_NEAR(value(samples, "u_mean", 1), u, 1e-12);
  // 0, u, 2 u, ... (n - 1) u have the sd |u| sqrt(n (n + 1) / 12).
  const auto n = static_cast<double>(method.u_draws.cols());
  EXPECT_NEAR(value(samples, "u_sd", 1), std::abs(u) * std::sqrt(n * (n + 1) / 12), 1e-9);
  EXPECT_NEAR(value(samples, "u_q50", 1), u * (n - 1) / 2, 1e-9);
  EXPECT_EQ(samples.outside, 1);
  EXPECT_TRUE(std::isnan(value(samples, "u_mean", 2)));
  EXPECT_FALSE(samples.sd_is_bound);
}

TEST(Sample, OfAFieldOnNodesHasTheDrawsSpreadBetweenThem) {
  const auto problem = test::sample_problem(1, result::Support::nodes);
  const auto method = test::sample_chains(problem);
  const Point middle = (problem.mesh.nodes[3] + problem.mesh.nodes[4]) / 2;
  const Samples samples = sample_result({problem, method}, {middle});
  EXPECT_NEAR(value(samples, "kappa_mean", 0), (method.kappa.mean[3] + method.kappa.mean[4]) / 2, 1e-12);
  Vector draws(method.num_draws());
  for (Index c = 0; c < method.draws.num_chains(); ++c)
    for (Index s = 0; s < method.draws.num_draws(); ++s)
      draws[c * method.draws.num_draws() + s] = (method.draws.chain(c)(3, s) + method.draws.chain(c)(4, s)) / 2;
  EXPECT_NEAR(value(samples, "kappa_q05", 0), diagnostics::quantiles(draws, Vector::Constant(1, 0.05))[0], 1e-12);
}

TEST(Sample, WithoutDrawsOfTheSolutionItsSdIsABound) {
  const auto problem = test::sample_problem(2);
  auto method = test::sample_chains(problem);
  method.u_draws = Matrix();
  const Samples samples = sample_result({problem, method}, {problem.mesh.nodes[3]});
  EXPECT_TRUE(samples.sd_is_bound);
  EXPECT_NEAR(value(samples, "u_sd", 0), method.u.sd[3], 1e-12);
  EXPECT_EQ(std::ranges::count(samples.names, "u_q05"), 0);
}

TEST(Sample, LinesAndPixelsAreWhereTheyShouldBe) {
  const std::vector<Point> points = points_on_line(Point(0, 1, 0), Point(2, 0, 0), 5);
  EXPECT_THAT(points,
              ElementsAre(Point(0, 1, 0), Point(0.5, 0.75, 0), Point(1, 0.5, 0), Point(1.5, 0.25, 0), Point(2, 0, 0)));
  const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {2, 2}, {{{10, 14}, {0, 3}}});
  const PixelGrid grid = pixels_over(mesh, 8);
  EXPECT_EQ(grid.rows, 6);
  EXPECT_EQ(grid.upper_left, Point(10, 3, 0));
  EXPECT_EQ(grid.centres.front(), Point(10.25, 2.75, 0));
  EXPECT_EQ(grid.centres.back(), Point(13.75, 0.25, 0));
  EXPECT_INPUT_ERROR(pixels_over(mesh::create_interval(4), 8), "a raster is for plane meshes, found one in 1D");
}

/// A number at a place of the bytes.
template <class Number>
Number number_at(const std::string& bytes, std::size_t place) {
  Number number{};
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

TEST(GeoTiff, HasItsTagsInOrderAndItsNumbersWhereTheTagsSay) {
  const std::string bytes =
      io::format_geotiff({2, 3, 500, 900, 10, {"a", "b"}, {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}}, 25832});
  ASSERT_EQ(bytes.substr(0, 4), std::string("II*\0", 4));
  const auto directory = number_at<std::uint32_t>(bytes, 4);
  const auto count = number_at<std::uint16_t>(bytes, directory);
  std::map<int, std::pair<std::uint32_t, std::uint32_t>> tags;  // count, and value or place
  int last = 0;
  for (int e = 0; e < count; ++e) {
    const std::size_t at = directory + 2 + 12U * static_cast<unsigned>(e);
    const int tag = number_at<std::uint16_t>(bytes, at);
    EXPECT_GT(tag, last);
    last = tag;
    tags[tag] = {number_at<std::uint32_t>(bytes, at + 4), number_at<std::uint32_t>(bytes, at + 8)};
  }
  EXPECT_EQ(tags.at(256).second, 2U);
  EXPECT_EQ(tags.at(257).second, 3U);
  ASSERT_EQ(tags.at(273).first, 2U);
  const auto second_band = number_at<std::uint32_t>(bytes, tags.at(273).second + 4);
  EXPECT_EQ(number_at<double>(bytes, second_band), 7);
  EXPECT_EQ(second_band + 6 * sizeof(double), bytes.size());
  EXPECT_EQ(number_at<double>(bytes, tags.at(33922).second + 24), 500);  // x of the corner
  EXPECT_EQ(number_at<double>(bytes, tags.at(33922).second + 32), 900);
  EXPECT_EQ(number_at<std::uint16_t>(bytes, tags.at(34735).second + 30), 25832);
}

}  // namespace
}  // namespace varimesh::run
