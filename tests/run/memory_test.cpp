#include "varimesh/run/memory.h"

#include <gtest/gtest.h>

#include "expect_input_error.h"
#include "varimesh/run/configured_problem.h"

namespace varimesh::run {
namespace {

TEST(Memory, WhatIsTooLargeIsRefusedInOneSentence) {
  EXPECT_INPUT_ERROR(require_memory(2e9, 4e9, "the fit"), "");
  EXPECT_INPUT_ERROR(require_memory(50e9, 4.04e9, "the fit"),
                     "the fit needs about 50.0 GB of memory, of which 4.0 GB are available: take fewer unknowns (a "
                     "coarser mesh, or per = \"node\" in [coefficient]) or fewer threads");
}

TEST(Memory, ThisMachineHasSome) { EXPECT_GT(available_bytes(), 1e6); }

TEST(Memory, AFullCovarianceNeedsSquaresAndLowRankDoesNot) {
  const auto bytes = [](Index cells, variational::FamilyKind family) {
    const std::string n = std::to_string(cells);
    const Config config = parse_config("mesh = { kind = \"rectangle\", cells = [" + n + ", " + n +
                                           "] }\nboundary = { left = { dirichlet = 0 } }\n"
                                           "observations = { sensors = \"nodes\", sigma = 1 }\n"
                                           "prior = { kind = \"spde\", range = 1 }",
                                       "problem.toml");
    const Problem problem = build_problem(config, Data::ignored);
    const auto prior = build_prior(config, problem);
    const inverse::Posterior posterior(
        std::make_shared<inverse::GaussianLikelihood>(
            problem.model, inverse::observe_means(Vector::Zero(problem.model->num_predictions()),
                                                  Vector::Ones(problem.model->num_predictions()),
                                                  Vector::Ones(problem.model->num_predictions()))),
        prior);
    return fit_bytes(ConfiguredProblem(config, problem), posterior, {.family = family});
  };
  // Sixteen times the unknowns: 256 times a matrix, and about 16 times what low rank holds.
  using variational::FamilyKind;
  EXPECT_NEAR(bytes(40, FamilyKind::full_covariance) / bytes(10, FamilyKind::full_covariance), 256, 30);
  EXPECT_LT(bytes(80, FamilyKind::low_rank) / bytes(20, FamilyKind::low_rank), 40);
}

}  // namespace
}  // namespace varimesh::run
