#include "varimesh/io/kappa_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "records.h"
#include "varimesh/io/csv.h"

namespace varimesh::io {
namespace {

using Columns = std::vector<std::string>;

std::vector<double> to_std(const Vector& x) { return {x.begin(), x.end()}; }

TEST(KappaFile, HasARowForEachUnknownThatReadsBackExactly) {
  const auto problem = test::sample_problem(2);
  const auto method = test::sample_fit(problem, test::SampleFamily::diagonal);
  const CsvTable table = parse_csv(format_kappa(problem, method), "kappa.csv");
  EXPECT_EQ(table.columns, (Columns{"cell", "x", "y", "mean", "sd", "q05", "q50", "q95", "truth"}));
  ASSERT_EQ(table.num_rows(), static_cast<std::size_t>(problem.num_unknowns()));
  for (std::size_t k = 0; k < table.num_rows(); ++k) {
    EXPECT_EQ(table.column("cell")[k], static_cast<double>(k));
    EXPECT_EQ(table.column("x")[k], problem.positions[k].x());
    EXPECT_EQ(table.column("y")[k], problem.positions[k].y());
  }
  EXPECT_EQ(table.column("mean"), to_std(method.kappa.mean));
  EXPECT_EQ(table.column("sd"), to_std(method.kappa.sd));
  EXPECT_EQ(table.column("q05"), to_std(method.kappa.q05));
  EXPECT_EQ(table.column("q50"), to_std(method.kappa.q50));
  EXPECT_EQ(table.column("q95"), to_std(method.kappa.q95));
  EXPECT_EQ(table.column("truth"), to_std(problem.truth->kappa));
}

TEST(KappaFile, HasAsManyCoordinatesAsTheMeshAndNoTruthIfItIsUnknown) {
  for (const auto& [dimension, columns] :
       {std::pair{1, Columns{"cell", "x", "mean", "sd", "q05", "q50", "q95"}},
        std::pair{3, Columns{"cell", "x", "y", "z", "mean", "sd", "q05", "q50", "q95"}}}) {
    auto problem = test::sample_problem(dimension);
    problem.truth.reset();
    EXPECT_EQ(parse_csv(format_kappa(problem, test::sample_chains(problem)), "kappa.csv").columns, columns);
  }
}

TEST(KappaFile, NumbersNodesIfTheyHaveTheUnknowns) {
  const auto problem = test::sample_problem(2, result::Support::nodes);
  const auto method = test::sample_fit(problem, test::SampleFamily::diagonal);
  const CsvTable table = parse_csv(format_kappa(problem, method), "kappa.csv");
  EXPECT_EQ(table.columns, (Columns{"node", "x", "y", "mean", "sd", "q05", "q50", "q95", "truth"}));
  ASSERT_EQ(table.num_rows(), problem.mesh.nodes.size());
  for (std::size_t k = 0; k < table.num_rows(); ++k) {
    EXPECT_EQ(table.column("node")[k], static_cast<double>(k));
    EXPECT_EQ(table.column("x")[k], problem.mesh.nodes[k].x());
    EXPECT_EQ(table.column("y")[k], problem.mesh.nodes[k].y());
  }
}

TEST(KappaFile, NumbersASingleUnknownZero) {
  auto problem = test::sample_problem(1);
  problem.unknown_of_cell.assign(12, 0);
  problem.positions = {{0.5, 0, 0}};
  problem.truth.reset();
  result::MethodRecord method;
  method.kappa = {Vector::Constant(1, 1), Vector::Constant(1, 2), Vector::Constant(1, 3), Vector::Constant(1, 4),
                  Vector::Constant(1, 5)};
  EXPECT_EQ(format_kappa(problem, method), "cell,x,mean,sd,q05,q50,q95\n0,0.5,1,2,3,4,5\n");
}

TEST(KappaFile, NeedsAnAnswer) {
  EXPECT_THROW(format_kappa(test::sample_problem(1), result::MethodRecord{}), std::invalid_argument);
}

}  // namespace
}  // namespace varimesh::io
