#include "varimesh/io/posterior_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "../expect_input_error.h"
#include "../file_size_limit.h"
#include "../records.h"
#include "../scratch_directory.h"
#include "varimesh/io/gaussian_group.h"
#include "varimesh/io/netcdf.h"
#include "varimesh/linalg/ordering.h"

namespace varimesh::io {
namespace {

using test::SampleFamily;
using testing::HasSubstr;
using testing::StartsWith;

struct Records {
  result::ProblemRecord problem;
  result::MethodRecord method;
};

/// The same numbers, NaN in the same places.
MATCHER_P(IsSame, expected, "") {
  if (arg.rows() != expected.rows() || arg.cols() != expected.cols()) return false;
  return ((arg.array() == expected.array()) || (arg.array().isNaN() && expected.array().isNaN())).all();
}

Matrix in_columns(const std::vector<Point>& points) {
  Matrix columns(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) columns.col(static_cast<Eigen::Index>(i)) = points[i];
  return columns;
}

Matrix in_columns(const std::vector<result::TracePoint>& trace) {
  Matrix columns(7, static_cast<Eigen::Index>(trace.size()));
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const auto& p = trace[i];
    columns.col(static_cast<Eigen::Index>(i)) << p.iteration, p.samples, p.elbo, p.elbo_standard_error, p.step,
        p.promise, p.seconds;
  }
  return columns;
}

void expect_same(const result::ProblemRecord& found, const result::ProblemRecord& expected) {
  EXPECT_EQ(found.mesh.cell_type, expected.mesh.cell_type);
  EXPECT_EQ(found.mesh.cell_nodes, expected.mesh.cell_nodes);
  EXPECT_THAT(in_columns(found.mesh.nodes), IsSame(in_columns(expected.mesh.nodes)));
  EXPECT_EQ(found.support, expected.support);
  EXPECT_EQ(found.unknown_of_cell, expected.unknown_of_cell);
  EXPECT_THAT(found.known_kappa, IsSame(expected.known_kappa));
  EXPECT_EQ(found.conductivity_tensor, expected.conductivity_tensor);
  EXPECT_THAT(in_columns(found.positions), IsSame(in_columns(expected.positions)));
  EXPECT_THAT(in_columns(found.sensors.points), IsSame(in_columns(expected.sensors.points)));
  EXPECT_THAT(found.sensors.mean, IsSame(expected.sensors.mean));
  EXPECT_THAT(found.sensors.sigma, IsSame(expected.sensors.sigma));
  EXPECT_THAT(found.sensors.count, IsSame(expected.sensors.count));
  ASSERT_EQ(found.quantities.size(), expected.quantities.size());
  for (std::size_t q = 0; q < found.quantities.size(); ++q) {
    EXPECT_EQ(found.quantities[q].name, expected.quantities[q].name);
    EXPECT_EQ(found.quantities[q].label, expected.quantities[q].label);
  }
  ASSERT_EQ(found.truth.has_value(), expected.truth.has_value());
  if (!found.truth) return;
  EXPECT_THAT(found.truth->kappa, IsSame(expected.truth->kappa));
  EXPECT_THAT(found.truth->u, IsSame(expected.truth->u));
  EXPECT_THAT(found.truth->quantities, IsSame(expected.truth->quantities));
}

void expect_same(const result::Draws& found, const result::Draws& expected) {
  ASSERT_EQ(found.num_chains(), expected.num_chains());
  ASSERT_EQ(found.num_draws(), expected.num_draws());
  for (Index c = 0; c < found.num_chains(); ++c) EXPECT_THAT(found.chain(c), IsSame(Matrix(expected.chain(c))));
  for (int k = 0; k < result::num_statistics; ++k) {
    const auto statistic = static_cast<result::Statistic>(k);
    EXPECT_THAT(found.statistic(statistic), IsSame(expected.statistic(statistic)));
  }
}

/// The same distribution, to rounding.
void expect_same(const gaussian::Gaussian& found, const gaussian::Gaussian& expected) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_THAT(found.mean(), IsSame(expected.mean()));
  Random random(3);
  const Matrix x = Matrix::NullaryExpr(found.size(), 3, [&] { return random.normal(); });
  const auto expect_near = [](const Matrix& a, const Matrix& b) { EXPECT_LE((a - b).norm(), 1e-12 * b.norm()); };
  expect_near(found.log_densities(x), expected.log_densities(x));
  expect_near(found.covariance_times(x), expected.covariance_times(x));
  expect_near(found.precision_times(x), expected.precision_times(x));
  expect_near(found.variance(), expected.variance());
}

void expect_same(const result::MethodRecord& found, const result::MethodRecord& expected) {
  expect_same(found.draws, expected.draws);
  EXPECT_THAT(found.log_weights, IsSame(expected.log_weights));
  EXPECT_THAT(found.prior_draws, IsSame(expected.prior_draws));
  EXPECT_THAT(found.kappa.mean, IsSame(expected.kappa.mean));
  EXPECT_THAT(found.kappa.sd, IsSame(expected.kappa.sd));
  EXPECT_THAT(found.kappa.q05, IsSame(expected.kappa.q05));
  EXPECT_THAT(found.kappa.q50, IsSame(expected.kappa.q50));
  EXPECT_THAT(found.kappa.q95, IsSame(expected.kappa.q95));
  EXPECT_THAT(found.u.mean, IsSame(expected.u.mean));
  EXPECT_THAT(found.u.sd, IsSame(expected.u.sd));
  EXPECT_THAT(found.u_at_mean, IsSame(expected.u_at_mean));
  EXPECT_THAT(found.predicted.mean, IsSame(expected.predicted.mean));
  EXPECT_THAT(found.predicted.sd, IsSame(expected.predicted.sd));
  EXPECT_THAT(found.predicted_draws, IsSame(expected.predicted_draws));
  EXPECT_THAT(found.leave_one_out.mean, IsSame(expected.leave_one_out.mean));
  EXPECT_THAT(found.leave_one_out.sd, IsSame(expected.leave_one_out.sd));
  EXPECT_THAT(found.leave_one_out.residual, IsSame(expected.leave_one_out.residual));
  EXPECT_THAT(found.leave_one_out.khat, IsSame(expected.leave_one_out.khat));
  EXPECT_THAT(found.leave_one_out.elpd, IsSame(expected.leave_one_out.elpd));
  EXPECT_THAT(found.mesh_check.sensors, IsSame(expected.mesh_check.sensors));
  EXPECT_THAT(found.prior_sensitivity.shift, IsSame(expected.prior_sensitivity.shift));
  EXPECT_THAT(found.quantity_draws, IsSame(expected.quantity_draws));
  EXPECT_EQ(found.shown_draws, expected.shown_draws);
  EXPECT_THAT(found.shown_u, IsSame(Matrix(expected.shown_u.cast<float>().cast<double>())));
  EXPECT_THAT(found.u_draws, IsSame(Matrix(expected.u_draws.cast<float>().cast<double>())));
  EXPECT_THAT(in_columns(found.trace), IsSame(in_columns(expected.trace)));
  ASSERT_EQ(found.quantities.size(), expected.quantities.size());
  for (std::size_t q = 0; q < found.quantities.size(); ++q) {
    const auto &a = found.quantities[q], &b = expected.quantities[q];
    EXPECT_EQ(std::tie(a.mean, a.sd, a.q05, a.q50, a.q95), std::tie(b.mean, b.sd, b.q05, b.q50, b.q95));
    EXPECT_THAT(a.density_x, IsSame(b.density_x));
    EXPECT_THAT(a.density, IsSame(b.density));
  }
  ASSERT_EQ(found.components.size(), expected.components.size());
  for (std::size_t k = 0; k < found.components.size(); ++k) {
    SCOPED_TRACE(k);
    expect_same(*found.components[k], *expected.components[k]);
  }
}

class PosteriorFile : public testing::Test {
 protected:
  std::filesystem::path file() const { return scratch_.path() / "posterior.nc"; }

  Records read() const {
    Records records;
    read_posterior(file(), records.problem, records.method);
    return records;
  }

  void expect_round_trip(const result::ProblemRecord& problem, const result::MethodRecord& method) const {
    write_posterior(file(), problem, method);
    const Records found = read();
    expect_same(found.problem, problem);
    expect_same(found.method, method);
  }

  test::ScratchDirectory scratch_;
};

/// What is written: a family of fits, or chains.
struct Case {
  std::string name;
  result::MethodRecord (*create)(const result::ProblemRecord&);
};
void PrintTo(const Case& each, std::ostream* stream) { *stream << each.name; }
const Case cases[] = {
    {"diagonal", [](const auto& problem) { return test::sample_fit(problem, SampleFamily::diagonal); }},
    {"dense", [](const auto& problem) { return test::sample_fit(problem, SampleFamily::dense); }},
    {"sparse", [](const auto& problem) { return test::sample_fit(problem, SampleFamily::sparse); }},
    {"mixture", [](const auto& problem) { return test::sample_fit(problem, SampleFamily::mixture); }},
    {"chains", [](const auto& problem) { return test::sample_chains(problem); }}};

class PosteriorFileOfEveryKind : public PosteriorFile, public testing::WithParamInterface<std::tuple<int, Case>> {};

TEST_P(PosteriorFileOfEveryKind, IsReadBackAsItWasWritten) {
  const auto& [dimension, kind] = GetParam();
  const auto problem = test::sample_problem(dimension);
  expect_round_trip(problem, kind.create(problem));
}

TEST_P(PosteriorFileOfEveryKind, HasTheSameBytesEveryTime) {
  const auto& [dimension, kind] = GetParam();
  const auto problem = test::sample_problem(dimension);
  write_posterior(file(), problem, kind.create(problem));
  const std::string bytes = scratch_.read("posterior.nc");
  write_posterior(file(), problem, kind.create(problem));
  EXPECT_TRUE(scratch_.read("posterior.nc") == bytes);
  EXPECT_EQ(scratch_.list(), std::vector<std::string>{"posterior.nc"});
}

INSTANTIATE_TEST_SUITE_P(All, PosteriorFileOfEveryKind,
                         testing::Combine(testing::Values(1, 2, 3), testing::ValuesIn(cases)), [](const auto& each) {
                           return std::get<1>(each.param).name + std::to_string(std::get<0>(each.param)) + "d";
                         });

TEST_F(PosteriorFile, LeavesOutWhatThereIsNot) {
  auto problem = test::sample_problem(2);
  problem.sensors = {};
  problem.quantities = {};
  problem.truth = {};
  auto method = test::sample_chains(problem);
  method.prior_draws = Matrix();
  method.shown_draws = {};
  method.shown_u = method.u_draws = Matrix();
  method.predicted_draws = method.quantity_draws = Matrix();
  method.u = {};
  method.u_at_mean = Vector();
  expect_round_trip(problem, method);
  const NetcdfFile netcdf(file(), NetcdfFile::Mode::read);
  for (const char* group : {"prior", "observed_data", "posterior_predictive", "log_likelihood", "approximation"})
    EXPECT_FALSE(netcdf.root().find_group(group)) << group;
}

TEST_F(PosteriorFile, PredictsAtSensorsWithoutMeasurements) {
  auto problem = test::sample_problem(2);
  problem.sensors.mean = problem.sensors.sigma = problem.sensors.count = Vector();
  expect_round_trip(problem, test::sample_chains(problem));
  EXPECT_FALSE(NetcdfFile(file(), NetcdfFile::Mode::read).root().find_group("log_likelihood"));
}

TEST_F(PosteriorFile, KeepsUnknownsThatCellsShare) {
  auto problem = test::sample_problem(2);
  problem.positions.resize(3);
  for (std::size_t c = 0; c < problem.unknown_of_cell.size(); ++c)
    problem.unknown_of_cell[c] = static_cast<Index>(c % 3);
  problem.truth->kappa = Vector::LinSpaced(3, 0, 1);
  expect_round_trip(problem, test::sample_fit(problem, SampleFamily::dense));
}

TEST_F(PosteriorFile, KeepsWhatIsKnown) {
  auto problem = test::sample_problem(1);
  problem.unknown_of_cell = {0, 1, 2, 3, -1, -1, 4, 5, 6, 7, 8, 9};
  problem.known_kappa.setConstant(12, std::numeric_limits<double>::quiet_NaN());
  problem.known_kappa[4] = 1.5;
  problem.known_kappa[5] = -2.5;
  problem.positions.resize(10);
  problem.truth->kappa = Vector::LinSpaced(10, 0, 1);
  expect_round_trip(problem, test::sample_fit(problem, SampleFamily::dense));
  problem.known_kappa[5] = std::numeric_limits<double>::quiet_NaN();
  write_posterior(file(), problem, test::sample_fit(problem, SampleFamily::dense));
  result::MethodRecord method;
  EXPECT_INPUT_ERROR(
      read_posterior(file(), problem, method),
      file().string() + ": constant_data/unknown_of_cell: expected -1 where kappa is known, and there alone");
}

TEST_F(PosteriorFile, KeepsConductivitiesThatDependOnTheDirection) {
  for (const auto support : {result::Support::cells, result::Support::nodes}) {
    for (const int dimension : {2, 3}) {
      auto problem = test::sample_problem(dimension, support);
      const Vector entries = Random(3).normal_vector(problem.mesh.num_cells() * dimension * dimension);
      problem.conductivity_tensor.assign(entries.begin(), entries.end());
      expect_round_trip(problem, test::sample_fit(problem, SampleFamily::dense));
    }
  }
}

TEST_F(PosteriorFile, KeepsAFieldOnNodesAndCallsItsDimensionNode) {
  for (const int dimension : {1, 2, 3}) {
    const auto problem = test::sample_problem(dimension, result::Support::nodes);
    for (const SampleFamily family :
         {SampleFamily::diagonal, SampleFamily::dense, SampleFamily::sparse, SampleFamily::mixture})
      expect_round_trip(problem, test::sample_fit(problem, family));
    expect_round_trip(problem, test::sample_chains(problem));
    const NetcdfFile netcdf(file(), NetcdfFile::Mode::read);
    for (const char* group : {"posterior", "prior", "summary", "constant_data"}) {
      const NetcdfGroup found = netcdf.root().group(group);
      EXPECT_TRUE(found.find_variable("node")) << group;
      EXPECT_FALSE(found.find_variable("cell")) << group;
      const Vector x = found.variable("node_x").read({problem.mesh.nodes.size()});
      for (Index v = 0; v < x.size(); ++v) EXPECT_EQ(x[v], problem.mesh.nodes[v].x());
    }
    EXPECT_EQ(netcdf.root().group("constant_data").text("unknowns"), "nodes");
  }
}

TEST_F(PosteriorFile, KeepsTheLabelsAndKindsOfSensors) {
  auto problem = test::sample_problem(2);
  for (Index s = 0; s < problem.num_sensors(); ++s)
    problem.sensors.labels.push_back(s == 1 ? "" : "B\u00fcrgermeister \"" + std::string(s, 'w'));
  const auto method = test::sample_fit(problem, SampleFamily::diagonal);
  write_posterior(file(), problem, method);
  EXPECT_EQ(read().problem.sensors.labels, problem.sensors.labels);
  EXPECT_TRUE(read().problem.sensors.kinds.empty());
  problem.sensors.kinds.assign(problem.sensors.labels.size(), "");
  problem.sensors.kinds.back() = "log flux";
  write_posterior(file(), problem, method);
  EXPECT_EQ(read().problem.sensors.kinds, problem.sensors.kinds);
}

TEST_F(PosteriorFile, KeepsQuantitiesOfAnyName) {
  auto problem = test::sample_problem(1);
  problem.quantities = {{"kappa", "a"}, {"1/2 of it", "b"}, {"\u03ba", "\u03ba"},         {"", ""},
                        {"a-b", "c"},   {"a.b", "d"},       {std::string(300, 'x'), "e"}, {std::string(400, 'x'), "f"}};
  problem.truth->quantities = Vector::LinSpaced(8, 0, 1);
  auto method = test::sample_chains(problem);
  method.quantities[2].density_x = method.quantities[2].density = Vector();
  method.quantities[3].density_x = method.quantities[3].density = Vector::LinSpaced(3, 0, 1);
  expect_round_trip(problem, method);
  const NetcdfFile netcdf(file(), NetcdfFile::Mode::read);
  const auto posterior = netcdf.root().group("posterior");
  for (const char* name : {"kappa_2", "quantity_1_2_of_it", "__", "quantity_", "a_b", "a_b_2"})
    EXPECT_TRUE(posterior.find_variable(name)) << name;
  EXPECT_EQ(posterior.variable("quantity_1_2_of_it").text("quantity"), "1/2 of it");
}

TEST_F(PosteriorFile, ReplacesTextThatIsNotUtf8) {
  auto problem = test::sample_problem(1);
  problem.labels.title = "a\xff\u03ba\xe0\x80\x80z\xc3";
  write_posterior(file(), problem, test::sample_chains(problem));
  EXPECT_EQ(NetcdfFile(file(), NetcdfFile::Mode::read).root().text("title"), "a\ufffd\u03ba\ufffd\ufffd\ufffdz\ufffd");
}

TEST_F(PosteriorFile, StatisticsThatFitsDoNotHaveAreNotANumber) {
  const auto problem = test::sample_problem(1);
  auto method = test::sample_fit(problem, SampleFamily::diagonal);
  const auto length = static_cast<std::size_t>(result::record_length(problem.num_unknowns()));
  std::vector<double> records(10 * length, 0.5);
  for (std::size_t d = 0; d < 10; ++d) {
    for (std::size_t k = length - 5; k < length; ++k)
      records[d * length + k] = std::numeric_limits<double>::quiet_NaN();
  }
  method.draws = {problem.num_unknowns(), {std::make_shared<result::MemoryDraws>(records)}};
  method.log_weights = Vector();
  test::fill_answer(problem, method);
  expect_round_trip(problem, method);
  const NetcdfFile netcdf(file(), NetcdfFile::Mode::read);
  EXPECT_TRUE(netcdf.root().group("sample_stats").find_variable("lp"));
  EXPECT_FALSE(netcdf.root().group("sample_stats").find_variable("energy"));
}

TEST_F(PosteriorFile, KeepsWhatInterruptedChainsHaveInCommon) {
  const auto problem = test::sample_problem(1);
  auto method = test::sample_chains(problem);
  const auto length = static_cast<std::size_t>(result::record_length(problem.num_unknowns()));
  std::vector<std::shared_ptr<const result::ChainDraws>> chains;
  for (const std::size_t draws : {4, 6})
    chains.push_back(std::make_shared<result::MemoryDraws>(std::vector<double>(draws * length, 0.5)));
  method.draws = {problem.num_unknowns(), chains};
  test::fill_answer(problem, method);
  write_posterior(file(), problem, method);
  const Records found = read();
  EXPECT_EQ(found.method.draws.num_draws(1), 4);
  EXPECT_THAT(found.method.predicted_draws, IsSame(method.predicted_draws));
}

TEST_F(PosteriorFile, LargeDrawsAreWrittenInBlocks) {
  auto problem = test::sample_problem(1);
  problem.mesh = mesh::create_interval(2500);
  problem.positions.clear();
  problem.unknown_of_cell.clear();
  for (Index c = 0; c < 2500; ++c) {
    problem.unknown_of_cell.push_back(c);
    problem.positions.push_back(mesh::centroid(problem.mesh, c));
  }
  problem.truth = {};
  result::MethodRecord method;
  method.draws = test::sample_draws(2500, 2, 1000);
  test::fill_answer(problem, method);
  expect_round_trip(problem, method);
}

TEST_F(PosteriorFile, NoiseAndLikelihoodAreThoseOfTheMeanOfASensorsMeasurements) {
  const auto problem = test::sample_problem(3);
  result::MethodRecord method;
  method.draws = test::sample_draws(problem.num_unknowns(), 2, 500);
  test::fill_answer(problem, method);
  write_posterior(file(), problem, method);

  const NetcdfFile netcdf(file(), NetcdfFile::Mode::read);
  const auto sensors = static_cast<std::size_t>(problem.num_sensors());
  const Vector prediction = method.predicted_draws.reshaped();
  const Vector y = netcdf.root().group("posterior_predictive").variable("y").read({2, 500, sensors});
  const double sd = 0.1 / std::sqrt(5.0);
  const Vector noise = (y - prediction) / sd;
  const double standard_error = 1 / std::sqrt(static_cast<double>(noise.size()));
  EXPECT_NEAR(noise.mean(), 0, 4 * standard_error);
  EXPECT_NEAR(noise.squaredNorm() / static_cast<double>(noise.size()), 1, 4 * std::numbers::sqrt2 * standard_error);

  const Vector found = netcdf.root().group("log_likelihood").variable("y").read({2, 500, sensors});
  for (Eigen::Index i = 0; i < found.size(); ++i) {
    const double z = (problem.sensors.mean[i % problem.num_sensors()] - prediction[i]) / sd;
    const double expected = -0.5 * z * z - std::log(sd * std::sqrt(2 * std::numbers::pi));
    ASSERT_NEAR(found[i], expected, 1e-6 * (1 + std::abs(expected)));
  }
}

TEST_F(PosteriorFile, IsWrittenWholeOrNotAtAll) {
  const auto problem = test::sample_problem(2);
  const auto method = test::sample_fit(problem, SampleFamily::sparse);
  write_posterior(file(), problem, method);
  const auto bytes = std::filesystem::file_size(file());
  std::filesystem::remove(file());
  for (const std::uintmax_t limit :
       {std::uintmax_t{0}, std::uintmax_t{100}, bytes / 4, bytes / 2, bytes - 100, bytes - 1}) {
    SCOPED_TRACE(limit);
    {
      const test::FileSizeLimit full(limit);
      EXPECT_THAT(test::input_error([&] { write_posterior(file(), problem, method); }),
                  StartsWith("cannot write " + file().string() + ": "));
    }
    EXPECT_THAT(scratch_.list(), testing::IsEmpty());
  }
  expect_round_trip(problem, method);
}

TEST_F(PosteriorFile, IsNotWrittenWithoutAnAnswer) {
  EXPECT_INPUT_ERROR(write_posterior(file(), test::sample_problem(1), {}),
                     "cannot write " + file().string() + ": the method has no answer");
}

TEST_F(PosteriorFile, OtherFilesAreRefused) {
  EXPECT_INPUT_ERROR(read(), "cannot read " + file().string() + ": No such file or directory");
  for (const std::string text : {"", "text", "CDF\x01 classic", "\x89HDF\r\n\x1a"}) {
    scratch_.write("posterior.nc", text);
    EXPECT_INPUT_ERROR(read(), file().string() + " is not a NetCDF-4 file");
  }
  {
  }
}

TEST_F(PosteriorFile, TruncatedFilesAreRefused) {
  const auto problem = test::sample_problem(2);
  write_posterior(file(), problem, test::sample_fit(problem, SampleFamily::mixture));
  const std::string bytes = scratch_.read("posterior.nc");
  for (std::size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 50) {
    scratch_.write("posterior.nc", bytes.substr(0, length));
    EXPECT_THAT(test::input_error([&] { read(); }), HasSubstr(file().string())) << length;
  }
}

TEST_F(PosteriorFile, DamagedFilesAreRefused) {
  const auto problem = test::sample_problem(2);
  write_posterior(file(), problem, test::sample_fit(problem, SampleFamily::sparse));
  const std::string bytes = scratch_.read("posterior.nc");
  Random random(19);
  const auto below = [&](std::size_t end) {
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(end));
  };
  for (int run = 0; run < 100; ++run) {
    std::string damaged = bytes;
    const std::size_t start = below(bytes.size() - 16), length = run % 2 == 0 ? 1 : below(2000);
    for (std::size_t i = start; i < std::min(start + length, bytes.size() - 16); ++i)
      damaged[i] = static_cast<char>(damaged[i] + 1 + static_cast<char>(below(255)));
    scratch_.write("posterior.nc", damaged);
    EXPECT_INPUT_ERROR(read(), file().string() + " is damaged: its contents do not fit its checksum");
  }
}

TEST_F(PosteriorFile, FilesThatLostTheirChecksumAreRead) {
  const auto problem = test::sample_problem(2);
  const auto method = test::sample_chains(problem);
  write_posterior(file(), problem, method);
  const std::string bytes = scratch_.read("posterior.nc");
  scratch_.write("posterior.nc", bytes.substr(0, bytes.size() - 16));
  expect_same(read().method, method);
}

/// A precision matrix on a grid's graph, as fits have it: many cliques, some merged, and a tree with branches.
std::shared_ptr<const gaussian::SparseGaussian> create_grid_gaussian(Index width, linalg::Amalgamation amalgamation) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < width * width; ++i) {
    if (i % width + 1 < width) edges.emplace_back(i, i + 1);
    if (i + width < width * width) edges.emplace_back(i, i + width);
  }
  const linalg::Graph graph = linalg::create_graph(width * width, edges);
  const auto tree = std::make_shared<linalg::CliqueTree>(graph, linalg::nested_dissection(graph).order, amalgamation);
  Random random(23);
  Vector factor = Vector::Zero(static_cast<Eigen::Index>(tree->num_entries()));
  for (Index c = 0; c < tree->num_cliques(); ++c) {
    auto block = linalg::block_of(factor, tree->clique(c));
    for (Eigen::Index j = 0; j < block.cols(); ++j) {
      for (Eigen::Index i = j; i < block.rows(); ++i) block(i, j) = i == j ? 1.5 : 0.2 * random.normal();
    }
  }
  return std::make_shared<gaussian::SparseGaussian>(random.normal_vector(width * width), tree, factor);
}

TEST_F(PosteriorFile, SparsePrecisionsOnGridsStayTheSame) {
  for (const auto amalgamation : {linalg::Amalgamation::none, linalg::Amalgamation::relaxed}) {
    const auto written = create_grid_gaussian(20, amalgamation);
    const auto write = [&](const gaussian::Gaussian& gaussian) {
      NetcdfFile netcdf(file(), NetcdfFile::Mode::create);
      netcdf.root().add_dimension("cell", 400);
      write_gaussian(netcdf.root(), gaussian, deviations_of(gaussian), "cell");
      netcdf.finish();
      return std::filesystem::file_size(file());
    };
    const std::size_t size = write(*written);
    const auto found = read_gaussian(NetcdfFile(file(), NetcdfFile::Mode::read).root(), 400);
    expect_same(*found, *written);
    EXPECT_EQ(write(*found), size);
  }
}

TEST_F(PosteriorFile, PatternsThatEliminationAddsToAreRefused) {
  NetcdfFile netcdf(file(), NetcdfFile::Mode::create);
  const NetcdfGroup root = netcdf.root();
  root.set("kind", "sparse");
  const auto add = [&](const std::string& name, const std::vector<double>& values) {
    root.add_dimension(name, values.size());
    root.add_variable(name, {name}).write(values);
  };
  // A star whose centre goes first joins its leaves.
  add("mean", {0, 0, 0});
  add("order", {0, 1, 2});
  add("indptr", {0, 3, 4, 5});
  add("indices", {0, 1, 2, 1, 2});
  add("values", {1, 0.1, 0.1, 1, 1});
  EXPECT_INPUT_ERROR(read_gaussian(root, 3),
                     file().string() + ": indices: expected a pattern that elimination adds nothing to");
}

}  // namespace
}  // namespace varimesh::io
