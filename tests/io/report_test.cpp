#include "varimesh/io/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "packed.h"
#include "records.h"
#include "varimesh/error.h"
#include "varimesh/io/page_templates.h"

namespace varimesh::io {
namespace {

using nlohmann::json;
using test::SampleFamily;
using testing::HasSubstr;

const ReportOrigin origin{"0.1.0", "2 March 2026", "varimesh run problem.toml"};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The text of the element with the data, up to where a browser would end it.
std::string embedded(const std::string& report) {
  const std::string start = R"(<script type="application/json" id="data">)";
  const std::size_t begin = report.find(start) + start.size();
  return report.substr(begin, report.find("</script", begin) - begin);
}

json data_of(const result::ProblemRecord& problem, const std::vector<result::MethodRecord>& methods,
             const std::vector<result::ComparisonRecord>& comparisons = {}) {
  return json::parse(embedded(format_report(problem, methods, comparisons, origin)));
}

Vector unpack(const json& numbers) {
  std::vector<double> values;
  if (numbers.is_array()) {
    for (const auto& value : numbers) values.push_back(value.is_null() ? nan : value.get<double>());
  } else {
    values = test::unpack(numbers.at("type").get<std::string>(), numbers.at("data").get<std::string>(),
                          numbers.value("lo", 0.0), numbers.value("hi", 0.0));
  }
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Whether packed numbers are these, within the step of their packing.
void expect_numbers(const json& numbers, const Vector& expected) {
  const Vector found = unpack(numbers);
  ASSERT_EQ(found.size(), expected.size());
  double tolerance = 0;
  if (numbers.is_object() && numbers.contains("lo"))
    tolerance = 0.51 * (numbers.at("hi").get<double>() - numbers.at("lo").get<double>()) / 65534;
  if (numbers.is_object() && numbers.at("type") == "f32") tolerance = 1e-6 * expected.cwiseAbs().maxCoeff();
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance);
}

void expect_keys(const json& object, const std::vector<std::string>& keys) {
  for (const auto& key : keys) EXPECT_TRUE(object.contains(key)) << key;
}

class ReportOf : public testing::TestWithParam<int> {};

TEST_P(ReportOf, AnyDimensionHasWhatTheContractAsksFor) {
  const auto problem = test::sample_problem(GetParam());
  const auto method = test::sample_fit(problem, SampleFamily::sparse);
  const json data = data_of(problem, {method});
  expect_keys(data, {"schema", "title", "summary", "generator", "problem", "mesh", "sensors", "truth", "runs"});
  EXPECT_EQ(data["schema"], 1);
  EXPECT_EQ(data["title"], problem.labels.title);
  EXPECT_EQ(data["generator"],
            json({{"version", "0.1.0"}, {"date", "2 March 2026"}, {"command", "varimesh run problem.toml"}}));
  expect_keys(data["problem"], {"equation", "mesh", "sensors", "prior", "noise", "numbers", "units", "u_name"});
  EXPECT_EQ(data["problem"]["units"], json({{"length", "m"}, {"u", "K"}, {"conductivity", "W/(m K)"}}));

  const json& mesh = data["mesh"];
  EXPECT_EQ(mesh["dimension"], GetParam());
  EXPECT_EQ(mesh["cell_type"], mesh::topology(problem.mesh.cell_type).name);
  EXPECT_FALSE(mesh.contains("unknown_of_cell") || mesh.contains("unknowns"));
  const Vector nodes = unpack(mesh["nodes"]);
  ASSERT_EQ(nodes.size(), GetParam() * problem.mesh.num_nodes());
  for (Index v = 0; v < problem.mesh.num_nodes(); ++v)
    EXPECT_EQ(nodes.segment(GetParam() * v, GetParam()), problem.mesh.nodes[v].head(GetParam()));
  const Vector cells = unpack(mesh["cells"]);
  EXPECT_TRUE(std::ranges::equal(cells, problem.mesh.cell_nodes));
  expect_numbers(data["sensors"]["mean"], problem.sensors.mean);
  EXPECT_EQ(unpack(data["sensors"]["position"]).size(), GetParam() * problem.num_sensors());
  expect_numbers(data["truth"]["kappa"], problem.truth->kappa);
  expect_numbers(data["truth"]["u"], problem.truth->u);
  EXPECT_EQ(data["truth"]["quantities"]["log_out"], problem.truth->quantities[1]);

  ASSERT_EQ(data["runs"].size(), 1U);
  const json& run = data["runs"][0];
  expect_keys(run, {"id",         "name",      "description", "status",   "message",   "seconds", "solves",
                    "elbo",       "khat",      "kappa",       "u",        "predicted", "draws",   "trace",
                    "quantities", "precision", "errors",      "settings", "verdict",   "trust"});
  EXPECT_EQ(run["id"], "pmvb");
  EXPECT_EQ(run["status"], "converged");
  EXPECT_EQ(run["solves"], 9);
  expect_numbers(run["kappa"]["mean"], method.kappa.mean);
  expect_numbers(run["kappa"]["q95"], method.kappa.q95);
  expect_numbers(run["u"]["sd"], method.u.sd);
  expect_numbers(run["predicted"]["mean"], method.predicted.mean);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, ReportOf, testing::Values(1, 2, 3));

TEST(Report, SaysWhatAFitSays) {
  const auto problem = test::sample_problem(2);
  const json run = data_of(problem, {test::sample_fit(problem, SampleFamily::sparse)})["runs"][0];
  EXPECT_EQ(run["elbo"], json({{"value", 12.5}, {"standard_error", 0.02}}));
  EXPECT_EQ(run["khat"], json({{"value", 0.4}, {"threshold", 0.7}, {"verdict", "good"}}));
  EXPECT_FALSE(run.contains("chains"));
  EXPECT_EQ(run["trace"]["kind"], "elbo");
  EXPECT_EQ(run["trace"]["iteration"], json({1.0, 2.0}));
  EXPECT_EQ(run["trace"]["standard_error"], json({nullptr, 0.5}));
  EXPECT_EQ(run["settings"], json({{{"key", "use"}, {"value", "pmvb"}},
                                   {{"key", "fit.tolerance"}, {"value", 0.01}},
                                   {{"key", "fit.first_derivatives_only"}, {"value", false}}}));
  EXPECT_EQ(run["errors"]["kappa"], json({{"value", 1.5}, {"standard_error", 0.1}}));
  EXPECT_EQ(run["verdict"], "The answer can be used, for the field. Take care with 'out'.");
  ASSERT_EQ(run["trust"].size(), 2U);
  EXPECT_FALSE(run["trust"][0].contains("action"));
  EXPECT_EQ(run["trust"][1]["level"], "warn");
  EXPECT_EQ(run["trust"][1]["action"], "Run NUTS.");
  EXPECT_EQ(run["precision"]["unknowns"], 24);
  EXPECT_EQ(unpack(run["precision"]["fill"]).size(), 24 * 24);
}

TEST(Report, SaysWhatChainsSay) {
  const auto problem = test::sample_problem(1);
  auto method = test::sample_chains(problem);
  json run = data_of(problem, {method})["runs"][0];
  EXPECT_EQ(run["chains"], json({{"chains", 3},
                                 {"draws", 20},
                                 {"rhat", 1.002},
                                 {"ess_bulk", 55.5},
                                 {"ess_tail", 44.4},
                                 {"divergences", 6},
                                 {"acceptance", 0.83},
                                 {"e_bfmi", 0.9}}));
  EXPECT_FALSE(run.contains("elbo") || run.contains("khat"));
  EXPECT_FALSE(run.contains("precision"));  // 55 effective draws of 12 unknowns
  EXPECT_EQ(run["trace"]["thin"], 1);
  const Matrix log_posterior = method.draws.statistic(result::Statistic::log_posterior);
  ASSERT_EQ(run["trace"]["chains"].size(), 3U);
  expect_numbers(run["trace"]["chains"][2], log_posterior.col(2));
  method.draws = test::sample_draws(12, 2, 2500);
  method.chains->ess_bulk = 2000;
  run = data_of(problem, {method})["runs"][0];
  EXPECT_EQ(run["trace"]["thin"], 3);
  EXPECT_EQ(unpack(run["trace"]["chains"][0]).size(), 834);
  EXPECT_EQ(run["precision"]["nonzeros"], 144);
  EXPECT_EQ(run["precision"]["order"], "as cells are numbered, estimated from the draws");
}

TEST(Report, OfAPredictionHasNoTrace) {
  const auto problem = test::sample_problem(1);
  auto method = test::sample_chains(problem);
  const std::vector<double> records(20U * (12 + result::num_statistics), nan);
  method.draws = {
      12, std::vector<std::shared_ptr<const result::ChainDraws>>(3, std::make_shared<result::MemoryDraws>(records))};
  EXPECT_FALSE(data_of(problem, {method})["runs"][0].contains("trace"));
}

TEST(Report, ShowsDrawsWithTheirU) {
  const auto problem = test::sample_problem(2);
  const auto method = test::sample_chains(problem);
  const json draws = data_of(problem, {method})["runs"][0]["draws"];
  ASSERT_EQ(draws["count"], 3);
  Matrix kappa(24, 3);
  kappa << method.draws.chain(0).col(0), method.draws.chain(1).col(10), method.draws.chain(2).col(19);
  expect_numbers(draws["kappa"], kappa.reshaped());
  expect_numbers(draws["u"], method.shown_u.reshaped());
}

TEST(Report, OfSeveralMethodsComparesThem) {
  const auto problem = test::sample_problem(2);
  auto without_answer = test::sample_fit(problem, SampleFamily::diagonal);
  without_answer.method = "mfvb";
  without_answer.kappa = {};
  const std::vector<result::ComparisonRecord> comparisons = {
      {"pmvb", "nuts", 0.1, 0.9, result::Estimate{0.2, 0.01}, std::nullopt, 30.0, "They agree."},
      {"mfvb", "nuts", 0.1, 0.9, std::nullopt, std::nullopt, std::nullopt, "Left out."}};
  const json data =
      data_of(problem, {test::sample_fit(problem, SampleFamily::mixture), without_answer, test::sample_chains(problem)},
              comparisons);
  ASSERT_EQ(data["runs"].size(), 2U);
  EXPECT_EQ(data["runs"][1]["id"], "nuts");
  EXPECT_FALSE(data["runs"][0].contains("precision"));  // there is none of a mixture
  ASSERT_EQ(data["comparisons"].size(), 1U);
  EXPECT_EQ(data["comparisons"][0], json({{"run", "pmvb"},
                                          {"referee", "nuts"},
                                          {"largest_mean_shift", 0.1},
                                          {"largest_sd_ratio", 0.9},
                                          {"speedup", 30.0},
                                          {"sentence", "They agree."},
                                          {"covariance_difference", {{"value", 0.2}, {"standard_error", 0.01}}}}));
  EXPECT_THAT(data["summary"].get<std::string>(), HasSubstr("by PMVB and NUTS."));
  EXPECT_THROW(format_report(problem, {without_answer}, {}, origin), InputError);
}

TEST(Report, SummarizesInSentences) {
  auto problem = test::sample_problem(2);
  problem.truth.reset();
  auto method = test::sample_fit(problem, SampleFamily::sparse);
  method.kappa.sd = Vector::LinSpaced(24, 0.1, 0.5);
  method.quantities[0].mean = -1.23456;
  method.quantities[0].sd = 0.0321;
  method.quantities[1].mean = nan;
  const json data = data_of(problem, {method});
  EXPECT_EQ(
      data["summary"],
      "The log coefficient κ of 24 triangles was inferred from 35 measurements of temperature at 7 sensors, by PMVB. "
      "According to PMVB, the standard deviation of κ is typically 0.31 and at most 0.5; flux out through right is "
      "−1.235\u00a0±\u00a00.032.");
  EXPECT_EQ(data["problem"]["numbers"], json({{{"label", "triangles"}, {"value", 24.0}},
                                              {{"label", "unknowns"}, {"value", 24.0}},
                                              {{"label", "sensors"}, {"value", 7.0}},
                                              {{"label", "measurements"}, {"value", 35.0}},
                                              {{"label", "noise (sd, K)"}, {"value", 0.1}}}));
  method.quantities[0].mean = 2311.4;
  method.quantities[0].sd = 356.2;
  EXPECT_THAT(data_of(problem, {method})["summary"].get<std::string>(), HasSubstr(" is 2311\u00a0±\u00a0356."));
  problem.sensors.sigma[2] = 0.25;
  EXPECT_EQ(data_of(problem, {method})["problem"]["numbers"][4]["value"], "0.1 to 0.25");
  problem.sensors.mean = problem.sensors.sigma = problem.sensors.count = Vector();
  const json prior = data_of(problem, {method});
  EXPECT_THAT(prior["summary"].get<std::string>(), HasSubstr("without measurements"));
  EXPECT_FALSE(prior.contains("sensors") || prior["runs"][0].contains("predicted"));
}

TEST(Report, LeavesOutWhatIsNotKnown) {
  auto problem = test::sample_problem(1);
  problem.labels = {};
  problem.truth.reset();
  problem.quantities.clear();
  auto method = test::sample_fit(problem, SampleFamily::dense);
  method.quantities.clear();
  method.khat.reset();
  method.elbo.reset();
  method.trace.clear();
  method.shown_draws.clear();
  method.shown_u.resize(0, 0);
  method.u = method.predicted = {};
  method.kappa_error.reset();
  method.u_error.reset();
  const json data =
      format_report(problem, {method}, {}, {"0.1.0", "", ""}).empty() ? json() : data_of(problem, {method});
  EXPECT_FALSE(data["title"].get<std::string>().empty());
  for (const char* key : {"truth", "comparisons"}) EXPECT_FALSE(data.contains(key)) << key;
  for (const char* key : {"units", "u_name"}) EXPECT_FALSE(data["problem"].contains(key)) << key;
  for (const char* key : {"elbo", "khat", "trace", "draws", "u", "predicted", "quantities", "errors", "chains"})
    EXPECT_FALSE(data["runs"][0].contains(key)) << key;
}

TEST(Report, HasADensityOnlyOfQuantitiesThatHaveOne) {
  const auto problem = test::sample_problem(1);
  auto method = test::sample_fit(problem, SampleFamily::diagonal);
  method.quantities[0] = {infinity, nan, 1, 2, 3, Vector(), Vector()};
  method.quantities[1].density_x = Vector::LinSpaced(16384, -1, 1);
  method.quantities[1].density = Vector::Constant(16384, 0.5);
  const json quantities = data_of(problem, {method})["runs"][0]["quantities"];
  EXPECT_FALSE(quantities[0].contains("density"));
  EXPECT_TRUE(quantities[0]["mean"].is_null() && quantities[0]["sd"].is_null());
  EXPECT_EQ(unpack(quantities[1]["density"]["x"]).size(), 256);
}

TEST(Report, SharesUnknownsAmongCells) {
  auto problem = test::sample_problem(2);
  for (auto& unknown : problem.unknown_of_cell) unknown /= 12;
  problem.positions.resize(2);
  problem.truth->kappa = Vector::Zero(2);
  const json data = data_of(problem, {test::sample_fit(problem, SampleFamily::dense)});
  EXPECT_TRUE(std::ranges::equal(unpack(data["mesh"]["unknown_of_cell"]), problem.unknown_of_cell));
  EXPECT_EQ(data["runs"][0]["precision"]["order"], "as they are numbered");
  EXPECT_THAT(data["summary"].get<std::string>(), HasSubstr("\u03ba of 2 unknowns on 24 triangles was"));
}

TEST(Report, SaysThatAFieldIsOnNodes) {
  const auto problem = test::sample_problem(2, result::Support::nodes);
  const json data = data_of(problem, {test::sample_fit(problem, SampleFamily::dense)});
  EXPECT_EQ(data["mesh"]["unknowns"], "nodes");
  EXPECT_FALSE(data["mesh"].contains("unknown_of_cell"));
  EXPECT_EQ(unpack(data["runs"][0]["kappa"]["mean"]).size(), problem.mesh.num_nodes());
  EXPECT_EQ(data["runs"][0]["precision"]["order"], "as nodes are numbered");
  EXPECT_THAT(data["summary"].get<std::string>(), HasSubstr("\u03ba at the 20 nodes of 24 triangles was inferred"));
}

TEST(Report, IsNotEndedByWhatStandsInIt) {
  auto problem = test::sample_problem(1);
  problem.labels.title = "</script><script>alert(1)</script> <!-- @VARIMESH_REPORT_DATA@";
  problem.labels.u = "broken \xff UTF-8";
  auto method = test::sample_fit(problem, SampleFamily::diagonal);
  method.seconds = nan;
  method.elbo = {-infinity, nan};
  const std::string report = format_report(problem, {method}, {}, origin);
  EXPECT_EQ(embedded(report).find('<'), std::string::npos);
  const json data = json::parse(embedded(report));
  EXPECT_EQ(data["title"], problem.labels.title);
  EXPECT_EQ(data["problem"]["u_name"], "broken \ufffd UTF-8");
  EXPECT_TRUE(data["runs"][0]["elbo"]["value"].is_null());
  // The rest is the template, byte for byte.
  const std::string_view page = report_template();
  const std::size_t place = page.find("@VARIMESH_REPORT_DATA@");
  EXPECT_EQ(report.substr(0, place), page.substr(0, place));
  EXPECT_TRUE(report.ends_with(page.substr(place + 22)));
}

TEST(Report, IsSmallForASmallProblem) {
  const auto problem = test::sample_problem(1);
  const auto report = format_report(problem, {test::sample_fit(problem, SampleFamily::dense)}, {}, origin);
  EXPECT_LT(report.size(), report_template().size() + 10'000);
}

/// The report of so many methods on a large mesh, with sensors at all nodes. Packed numbers take as much space whatever
/// they are.
std::string large_report(mesh::Mesh mesh, int methods) {
  result::ProblemRecord problem;
  problem.mesh = std::move(mesh);
  for (Index c = 0; c < problem.mesh.num_cells(); ++c) problem.unknown_of_cell.push_back(c);
  problem.positions.resize(problem.unknown_of_cell.size(), Point::Zero());
  const Index n = problem.num_unknowns(), nodes = problem.mesh.num_nodes();
  problem.truth = result::Truth{Vector::Zero(n), Vector::Zero(nodes), Vector()};
  problem.sensors = {problem.mesh.nodes, Vector::LinSpaced(nodes, 0, 1), Vector::Ones(nodes), Vector::Ones(nodes)};
  result::MethodRecord method;
  method.method = "mfvb";
  method.components = {std::make_shared<gaussian::DiagonalGaussian>(Vector::Zero(n), Vector::Ones(n))};
  method.draws = {n, {std::make_shared<result::MemoryDraws>(std::vector<double>(20 * (n + 7)))}};
  method.kappa = {Vector::Zero(n), Vector::Zero(n), Vector::Zero(n), Vector::Zero(n), Vector::Zero(n)};
  method.u = {Vector::Zero(nodes), Vector::Zero(nodes)};
  method.predicted = {Vector::Zero(nodes), Vector::Ones(nodes)};
  for (Index d = 0; d < 20; ++d) method.shown_draws.push_back(d);
  method.shown_u = Matrix::Zero(nodes, 20);
  std::vector<result::MethodRecord> all;
  for (int k = 0; k < methods; ++k) all.push_back(method);
  return format_report(problem, all, {}, origin);
}

TEST(Report, OfUpToSixtyThousandCellsShowsThemAll) {
  const std::string report = large_report(mesh::create_rectangle(mesh::CellType::triangle, {173, 173}, {}), 1);
  EXPECT_LT(report.size(), 15e6);
  const json data = json::parse(embedded(report));
  EXPECT_FALSE(data["mesh"].contains("boxes_of"));
  EXPECT_EQ(unpack(data["runs"][0]["kappa"]["mean"]).size(), 2 * 173 * 173);
}

TEST(Report, OfMoreCellsShowsBoxes) {
  const std::string report = large_report(mesh::create_rectangle(mesh::CellType::triangle, {224, 224}, {}), 1);
  const json data = json::parse(embedded(report));
  EXPECT_EQ(data["mesh"]["boxes_of"], json({{"count", 100'352}, {"name", "triangles"}}));
  EXPECT_EQ(data["mesh"]["cell_type"], "quadrilateral");
  EXPECT_THAT(data["summary"].get<std::string>(), HasSubstr("100\u202f352 triangles"));
  const auto boxes = unpack(data["mesh"]["cells"]).size() / 4;
  EXPECT_LE(boxes, 60'000);
  const json& run = data["runs"][0];
  EXPECT_EQ(unpack(run["kappa"]["mean"]).size(), boxes);
  EXPECT_EQ(unpack(run["draws"]["kappa"]).size(), boxes * run["draws"]["count"].get<int>());
  EXPECT_EQ(unpack(run["u"]["sd"]).size(), unpack(data["mesh"]["nodes"]).size() / 2);
  EXPECT_EQ(run["precision"]["unknowns"], 100'352);
}

TEST(Report, OfManySensorsKnowsSome) {
  const std::string report = large_report(mesh::create_rectangle(mesh::CellType::triangle, {150, 150}, {}), 1);
  const json data = json::parse(embedded(report));
  const json& sensors = data["sensors"];
  EXPECT_EQ(sensors["total"], 151 * 151);
  const Vector number = unpack(sensors["number"]);
  ASSERT_EQ(number.size(), 10'000);
  EXPECT_TRUE(std::ranges::is_sorted(number));
  EXPECT_NEAR(unpack(sensors["mean"])[5000], number[5000] / (151 * 151 - 1), 1e-12);
  EXPECT_EQ(unpack(sensors["position"]).size(), 20'000);
  EXPECT_EQ(unpack(data["runs"][0]["predicted"]["sd"]).size(), 10'000);
}

TEST(Report, OfAMillionCellsStaysBelowFifteenMegabytes) {
  const auto triangles = mesh::create_rectangle(mesh::CellType::triangle, {708, 708}, {});
  for (const int methods : {1, 5}) {
    const std::string report = large_report(triangles, methods);
    EXPECT_LT(report.size(), 15e6);
    EXPECT_GE(json::parse(embedded(report))["runs"].back()["draws"]["count"].get<int>(), 2);
  }
}

TEST(Report, OfHexahedraWhichTakeTheMostSpaceStaysBelowFifteenMegabytes) {
  const auto shown_as_they_are = mesh::create_box(mesh::CellType::hexahedron, {39, 39, 39}, {});
  const auto in_boxes = mesh::create_box(mesh::CellType::hexahedron, {40, 40, 40}, {});
  for (const int methods : {1, 5}) {
    EXPECT_LT(large_report(shown_as_they_are, methods).size(), 15e6);
    EXPECT_LT(large_report(in_boxes, methods).size(), 15e6);
  }
}

}  // namespace
}  // namespace varimesh::io
