#include "varimesh/run/field_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/random.h"
#include "varimesh/run/build.h"
#include "varimesh/run/nearest_point.h"

namespace varimesh::run {
namespace {

class FieldFile : public testing::Test {
 protected:
  ScalarFunction read(const std::string& name, const std::string& text, int dimension) const {
    directory_.write(name, text);
    return read_field_file(InputFile(directory_.path() / name), "value", dimension);
  }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

  test::ScratchDirectory directory_;
};

TEST_F(FieldFile, RowsThatFillAGridAreInterpolatedInAnyOrder) {
  const ScalarFunction f = read("f.csv", "y,x,value,why\n1,3,31,a\n0,1,10,b\n1,1,11,c\n0,3,30,d\n", 2);  // 10 x + y
  for (const Point& x : {Point(1, 0, 0), Point(2, 0.5, 0), Point(2.7, 0.9, 0)})
    EXPECT_NEAR(f(x), 10 * x[0] + x[1], 1e-12);
  EXPECT_NEAR(f(Point(3.9, 1.4, 0)), 31, 1e-12);  // half a step further it goes on
  EXPECT_INPUT_ERROR(f(Point(4.1, 1, 0)), path("f.csv") + ": there is no value at (4.1, 1), which is outside");
}

TEST_F(FieldFile, ALineIsInterpolatedBetweenItsRows) {
  const ScalarFunction f = read("f.csv", "x,value\n0,1\n2,5\n1,2\n", 1);
  EXPECT_DOUBLE_EQ(f(Point(0.5, 0, 0)), 1.5);
  EXPECT_DOUBLE_EQ(f(Point(1.5, 0, 0)), 3.5);
}

TEST_F(FieldFile, AGridInSpaceIsTrilinear) {
  std::string text = "x,y,z,value\n";
  for (const int x : {0, 1, 2})
    for (const int y : {0, 1})
      for (const int z : {0, 1}) text += fmt::format("{},{},{},{}\n", x, y, z, x * (1 + y) * (2 - z));
  const ScalarFunction f = read("f.csv", text, 3);
  EXPECT_NEAR(f(Point(1.25, 0.5, 0.75)), 1.25 * 1.5 * 1.25, 1e-12);
}

TEST_F(FieldFile, OtherRowsHoldAroundThem) {
  const ScalarFunction f = read("f.csv", "x,y,value\n0,0,1\n1,0.1,2\n0.4,0.9,3\n", 2);
  EXPECT_EQ(f(Point(0.1, 0.2, 0)), 1);
  EXPECT_EQ(f(Point(9, 0.2, 0)), 2);
  EXPECT_EQ(f(Point(0.4, 0.6, 0)), 3);
}

TEST_F(FieldFile, TheNearestPointIsThatOfBruteForce) {
  Random random(5);
  for (const int dimension : {1, 2, 3}) {
    std::vector<Point> points(500, Point::Zero());
    for (Point& x : points)
      for (int d = 0; d < dimension; ++d) x[d] = std::floor(20 * random.uniform());  // many are equally near
    const NearestPoint nearest(points, dimension);
    for (int trial = 0; trial < 500; ++trial) {
      Point x = Point::Zero();
      for (int d = 0; d < dimension; ++d) x[d] = std::floor(40 * random.uniform() - 10) / 2;
      std::size_t best = 0;
      for (std::size_t k = 1; k < points.size(); ++k)
        if ((points[k] - x).squaredNorm() < (points[best] - x).squaredNorm()) best = k;
      ASSERT_EQ((points[nearest.find(x)] - x).squaredNorm(), (points[best] - x).squaredNorm());
      ASSERT_EQ(nearest.find(x), best);
    }
  }
}

TEST_F(FieldFile, RastersKeepTheirHolesAndTheirOrigin) {
  const std::string header = "NCOLS 3\nNROWS 2\nXLLCENTER 100\nYLLCENTER 50\nCELLSIZE 10\nNODATA_VALUE -1\n";
  const ScalarFunction f = read("f.asc", header + "4 5 6\n1 2 -1\n", 2);
  EXPECT_EQ(f(Point(100, 50, 0)), 1);
  EXPECT_EQ(f(Point(110, 60, 0)), 5);
  EXPECT_EQ(f(Point(115, 60, 0)), 5.5);
  EXPECT_INPUT_ERROR(f(Point(115, 55, 0)), path("f.asc") + ": there is no data at (115, 55)");
  EXPECT_INPUT_ERROR(f(Point(90, 55, 0)), path("f.asc") + ": there is no value at (90, 55), which is outside");
}

TEST_F(FieldFile, FaultsNameTheFile) {
  const std::string asc = path("f.asc"), csv = path("f.csv");
  EXPECT_INPUT_ERROR(read("f.csv", "x,y,value\n0,0,1\n0,0,2\n", 2),
                     csv + ":3: expected one value at (0, 0), found another one in line 2");
  EXPECT_INPUT_ERROR(read("f.csv", "x,y,depth\n0,0,1\n", 2),
                     csv + ": expected a column 'value', found 'x', 'y', 'depth'");
  EXPECT_INPUT_ERROR(read("f.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3\n", 2),
                     asc + ": values: expected a number, found the end of the file");
  EXPECT_INPUT_ERROR(read("f.asc", "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n", 2),
                     asc + ": expected 1 values, found more");
  EXPECT_INPUT_ERROR(read("f.asc", "ncols 1e9\nnrows 1e9\nxllcorner 0\nyllcorner 0\ncellsize 1\n1\n", 2),
                     asc +
                         ": expected whole numbers ncols and nrows with a product from 1 to 100000000, found "
                         "1000000000 and 1000000000");
  EXPECT_INPUT_ERROR(read("f.asc", "nclos 2\n", 2),
                     asc + ": expected an ESRI ASCII grid, which begins with ncols, found 'nclos'");
  EXPECT_INPUT_ERROR(read("f.asc", "ncols 2\n", 1),
                     asc + ": a raster is for a plane mesh, expected a CSV file on one in 1D");
}

TEST_F(FieldFile, PriorsTakeTheirMeanFromIt) {
  directory_.write("k.csv", "x,value\n0,1\n1,100\n");
  const std::string text =
      "[mesh]\nkind = \"interval\"\ncells = 4\n[boundary]\nleft = { dirichlet = 0 }\n[prior]\nmean = { "
      "file = \"k.csv\", log = true }\n";
  for (const char* kind : {"kind = \"gaussian_process\"\nlength_scale = 0.3\n", "kind = \"spde\"\nrange = 0.8\n",
                           "kind = \"independent\"\n"}) {
    const Config config = parse_config(text + kind, directory_.path() / "problem.toml");
    const Problem problem = build_problem(config, Data::if_present);
    const auto prior = build_prior(config, problem);
    const Vector& mean = dynamic_cast<const inverse::GaussianPrior&>(*prior).gaussian().mean();
    for (Index c = 0; c < 4; ++c) EXPECT_NEAR(mean[c], std::log(1 + 99 * (0.125 + 0.25 * c)), 1e-12) << kind;
  }
}

TEST_F(FieldFile, SigmaIsReadFromAResultsOwnFile) {
  directory_.write("kappa.csv", "cell,x,mean,sd\n0,0.25,1,0.5\n1,0.75,2,0.25\n");
  const Config config = parse_config(
      "[mesh]\nkind = \"interval\"\ncells = 2\n[boundary]\nleft = { dirichlet = 0 }\n[prior]\nkind = "
      "\"independent\"\nmean "
      "= \"kappa.csv\"\nsigma = \"kappa.csv\"\n",
      directory_.path() / "problem.toml");
  const Problem problem = build_problem(config, Data::if_present);
  const auto prior = build_prior(config, problem);
  const auto& normal = dynamic_cast<const inverse::GaussianPrior&>(*prior);
  EXPECT_THAT(normal.gaussian().mean(), testing::ElementsAre(1, 2));
  EXPECT_THAT(normal.precision_diagonal(), testing::ElementsAre(4, 16));
}

}  // namespace
}  // namespace varimesh::run
