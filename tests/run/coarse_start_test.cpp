#include "varimesh/run/coarse_start.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expect_input_error.h"
#include "run/region_mesh.h"
#include "scratch_directory.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/simulate.h"

namespace varimesh::run {
namespace {

std::string cells_along_each_side(Index cells, int dimension) {
  std::string list = std::to_string(cells);
  for (int d = 1; d < dimension; ++d) list += ", " + std::to_string(cells);
  return list;
}

/// A field that nine sensors see a little of, on a mesh of so many cells along a side, with made-up data.
struct Case {
  test::ScratchDirectory directory;
  Config config;
  Problem problem;
  std::optional<inverse::Posterior> posterior;
  variational::FitOptions options;

  Case(Index cells, const std::string& more, int dimension = 2)
      : Case(fmt::format("mesh = {{ kind = \"{}\", cells = [{}] }}\n"
                         "equation = {{ source = 1 }}\n"
                         "boundary = {{ left = {{ dirichlet = 0 }}, right = {{ dirichlet = 1 }} }}\n",
                         dimension == 2 ? "rectangle" : "box", cells_along_each_side(cells, dimension)) +
                 more,
             "", dimension) {}

  /// The same on a mesh of a Gmsh file, without coarser ones, whose boundary is held at 0.
  static Case of_gmsh(Index cells, const std::string& more) {
    return {
        "mesh = { kind = \"gmsh\", file = \"mesh.msh\" }\nequation = { source = 10 }\n"
        "boundary = { rim = { dirichlet = 0 } }\n" +
            more,
        test::region_mesh(cells), 2};
  }

  CoarseStart start() const { return fit_coarse(config, problem, *posterior, options, {}); }

 private:
  Case(const std::string& equation, const std::string& mesh, int dimension) {
    if (!mesh.empty()) directory.write("mesh.msh", mesh);
    const bool flat = dimension == 2;
    std::string sensors = flat ? "x,y\n" : "x,y,z\n";
    for (const char* x : {"0.2,", "0.5,", "0.8,"}) {
      for (const char* y : {"0.2", "0.5", "0.8"}) sensors += std::string(x) + y + (flat ? "\n" : ",0.4\n");
    }
    directory.write("sensors.csv", sensors);
    const std::string text = equation +
                             "observations = { sensors = \"sensors.csv\", data = \"data.csv\", sigma = 0.02 }\n"
                             "prior = { kind = \"spde\", range = 0.5, sigma = 0.5 }\n";
    config = parse_config(text, directory.path() / "problem.toml");
    const Problem empty = build_problem(config, Data::ignored);
    const Vector truth = Vector::Constant(empty.num_unknowns(), 0.3);
    directory.write("data.csv", format_data(empty, simulate(config, empty, {3, truth, 0})));
    problem = build_problem(config, Data::required);
    posterior.emplace(build_posterior(config, problem));
    options = fit_options(config.method, ConfiguredProblem(config, problem), *posterior, Method::low_rank, 2);
    options.elbo_samples = 32;
  }
};

TEST(CoarseStart, IsCloseToTheFitOnTheFineMeshAndSavesItsEvaluations) {
  // 21,632 cells, and 20,449 nodes of another mesh
  const std::string on_nodes = "coefficient = { per = \"node\" }\n";
  const Case cases[] = {Case(104, ""), Case(142, on_nodes), Case::of_gmsh(104, ""), Case::of_gmsh(142, on_nodes)};
  for (const Case& fine : cases) {
    const CoarseStart start = fine.start();
    ASSERT_TRUE(start.q);
    EXPECT_NEAR(start.unknowns, 5000, 500);
    const variational::FitResult without = variational::fit(*fine.posterior, fine.options);
    variational::FitOptions with_start = fine.options;
    with_start.start = start.q;
    const variational::FitResult with = variational::fit(*fine.posterior, with_start);
    ASSERT_EQ(with.status, result::FitStatus::converged) << with.message;
    ASSERT_EQ(without.status, result::FitStatus::converged) << without.message;
    EXPECT_LT(with.counts.jacobians, without.counts.jacobians);
    // Both are within their tolerance of the best.
    EXPECT_NEAR(with.elbo.value, without.elbo.value,
                2 * fine.options.natural_gradient.tolerance +
                    4 * std::hypot(with.elbo.standard_error, without.elbo.standard_error));
    // A tenth of the range is the coarse cells' size: the field is smooth on that scale.
    const Vector sd = without.q->variance().cwiseSqrt();
    EXPECT_LT((start.q->mean() - without.q->mean()).cwiseQuotient(sd).norm() / std::sqrt(sd.size()), 0.3);
    EXPECT_LT((start.q->variance().cwiseSqrt().cwiseQuotient(sd).array() - 1).abs().maxCoeff(), 0.1);
  }
}

TEST(CoarseStart, OfABoxFitsTheDataOfTheFineMesh) {
  // 21,952 nodes of 118,098 tetrahedra
  const Case fine(27, "coefficient = { per = \"node\" }\n", 3);
  const CoarseStart start = fine.start();
  ASSERT_TRUE(start.q);
  EXPECT_NEAR(start.unknowns, 5000, 500);
  // The residuals of nine readings with known noise: |r|^2 is chi^2, above 28 once in a thousand.
  const inverse::Observations& data = fine.posterior->gaussian_likelihood()->observations();
  const Vector residual = fine.problem.model->predict(start.q->mean()) - data.mean;
  EXPECT_LT(residual.cwiseAbs2().dot(data.weight), 28);
}

TEST(CoarseStart, IsNotNeededForFewUnknowns) { EXPECT_FALSE(Case(30, "").start().q); }

TEST(CoarseStart, StopsOnRequest) {
  const Case fine(104, "");
  const CoarseStart start =
      fit_coarse(fine.config, fine.problem, *fine.posterior, fine.options, [](const auto&) { return false; });
  EXPECT_FALSE(start.q);
}

}  // namespace
}  // namespace varimesh::run
