// From labelled data, named sources and quantities to results at points, with the program.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "run/region_mesh.h"
#include "varimesh/file.h"
#include "varimesh/io/csv.h"

namespace varimesh {
namespace {

using test::run_program;
using test::ScratchDirectory;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string problem = R"([mesh]
kind = "gmsh"
file = "mesh.msh"
[boundary]
rim = { dirichlet = 0 }
[sources]
sink = { region = "well", total = -500 }
[observations]
data = "wells.csv"
sigma = 1
[prior]
kind = "gaussian_process"
length_scale = 0.5
[quantities]
middle = { value = [0.5, 0.5] }
lowest = { min = "well" }
average = { mean = "everywhere", of = "kappa" }
)";

const std::string wells = "well,x,y,z,value\nA 1,0.3,0.3,-5,-30\n\"B, deep\",0.7,0.7,-9,-12\nC,1.003,0.5,-7,0\n";

void write_problem(const ScratchDirectory& directory) {
  directory.write("mesh.msh", test::region_mesh(6));
  directory.write("wells.csv", wells);
  directory.write("problem.toml", problem);
}

TEST(EnteringData, CheckShowsAreasTotalsAndWhatWasDoneWithTheData) {
  const ScratchDirectory directory;
  write_problem(directory);
  const auto check = run_program("check problem.toml", directory.path());
  EXPECT_EQ(check.exit_code, 0) << check.text;
  EXPECT_THAT(check.text,
              AllOf(HasSubstr("well: area of 0.25 in 18 cells"), HasSubstr("sink: -500 in all"),
                    HasSubstr("the column 'z' is ignored (the mesh is 2D)"), HasSubstr("1 sensor outside the mesh"),
                    HasSubstr("'C' at (1.003, 0.5) is 0.003 outside")));
}

TEST(EnteringData, AMeshWithoutPhysicalGroupsIsNamedAsSuch) {
  const ScratchDirectory directory;
  directory.write("mesh.msh",
                  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                  "$Elements\n2\n1 2 2 0 1 1 2 3\n2 2 2 0 1 1 3 4\n$EndElements\n");
  const std::string start = "[mesh]\nkind = \"gmsh\"\nfile = \"mesh.msh\"\n[equation]\nreaction = 1\n";
  directory.write("problem.toml", start);
  const auto check = run_program("check problem.toml", directory.path());
  EXPECT_EQ(check.exit_code, 0) << check.text;
  EXPECT_THAT(check.text,
              HasSubstr("the mesh file has no physical groups, so that its boundaries and regions have no names"));
  directory.write("problem.toml", start + "[boundary]\nrim = { dirichlet = 0 }\n");
  const auto refused = run_program("check problem.toml", directory.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.text, HasSubstr("it has no named ones (in Gmsh, physical groups)"));
}

TEST(EnteringData, LabelsAndQuantitiesGoThroughRunPredictAndSample) {
  const ScratchDirectory directory;
  write_problem(directory);
  const auto run = run_program("run problem.toml --method laplace --threads 1", directory.path());
  ASSERT_EQ(run.exit_code, 0) << run.text;
  EXPECT_THAT(run.text, HasSubstr("note: "));
  const auto summary =
      nlohmann::json::parse(read_file(directory.path() / "problem-results/laplace/summary.json", 1 << 20));
  EXPECT_EQ(summary["quantities"][0]["label"], "u at (0.5, 0.5)");
  EXPECT_EQ(summary["quantities"][1]["label"], "smallest u in well");
  EXPECT_EQ(summary["quantities"][2]["label"], "mean kappa");
  std::vector<std::string> labels;
  for (const auto& worst : summary["leave_one_out"]["worst"]) labels.push_back(worst["label"]);
  EXPECT_THAT(labels, testing::UnorderedElementsAre("A 1", "B, deep", "C"));
  EXPECT_THAT(read_file(directory.path() / "problem-results/report.html", 20 << 20), HasSubstr("B, deep"));

  // At the point of the quantity the sampled mean is the quantity's.
  directory.write("points.csv", "name,x,y\nmiddle,0.5,0.5\nfar,9,9\n");
  const auto sample = run_program("sample problem-results points.csv -o out.csv", directory.path());
  ASSERT_EQ(sample.exit_code, 0) << sample.text;
  EXPECT_THAT(sample.text, HasSubstr("note: 1 point outside the mesh, with nan"));
  const std::string text = read_file(directory.path() / "out.csv", 1 << 20);
  EXPECT_THAT(text,
              AllOf(HasSubstr("name,x,y,kappa_mean"), HasSubstr("\nmiddle,0.5,0.5,"), HasSubstr("\nfar,9,9,nan,")));
  directory.write("points.csv", "x,y\n0.5,0.5\n");
  run_program("sample problem-results points.csv -o out.csv", directory.path());
  const io::CsvTable table = io::read_csv(directory.path() / "out.csv");
  EXPECT_NEAR(table.column("u_mean")[0], summary["quantities"][0]["mean"].get<double>(), 1e-9);
  const auto raster = run_program("sample problem-results --raster 20", directory.path());
  EXPECT_EQ(raster.exit_code, 0) << raster.text;
  EXPECT_THAT(raster.text, HasSubstr("fields.tif"));
  EXPECT_EQ(run_program("sample problem-results --raster 20 --from 0,0", directory.path()).exit_code, 2);

  const auto predict =
      run_program("predict problem-results problem.toml --set sources.sink.total=-1000", directory.path());
  ASSERT_EQ(predict.exit_code, 0) << predict.text;
  const auto doubled =
      nlohmann::json::parse(read_file(directory.path() / "problem-predictions/laplace/summary.json", 1 << 20));
  EXPECT_NEAR(doubled["quantities"][0]["mean"].get<double>(), 2 * summary["quantities"][0]["mean"].get<double>(), 1e-9);
}

TEST(EnteringData, AReportOfTwoPriorsSaysSoAndComparesNothing) {
  const ScratchDirectory directory;
  write_problem(directory);
  for (const char* out : {"one", "two"}) {
    const std::string prior = out == std::string("one") ? "0.5" : "0.9";
    ASSERT_EQ(run_program("run problem.toml --method fcvb --threads 1 --set prior.length_scale=" + prior + " -o " + out,
                          directory.path())
                  .exit_code,
              0);
  }
  const auto report = run_program("report one two -o both.html", directory.path());
  ASSERT_EQ(report.exit_code, 0) << report.text;
  EXPECT_THAT(report.text, AllOf(HasSubstr("Different priors, so that one posterior is no measure of the other."),
                                 HasSubstr("length-scale 0.5"), HasSubstr("length-scale 0.9")));
  EXPECT_THAT(report.text, Not(HasSubstr("agree")));
  const std::string page = read_file(directory.path() / "both.html", 20 << 20);
  EXPECT_THAT(page, HasSubstr("Not the same for all."));
  EXPECT_THAT(page, Not(HasSubstr("\"comparisons\":")));
}

}  // namespace
}  // namespace varimesh
