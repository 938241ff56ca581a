#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/inverse/contract.h"
#include "varimesh/paper/bimodal_model.h"
#include "varimesh/paper/experiments.h"
#include "varimesh/paper/files.h"
#include "varimesh/run/result_directory.h"
#include "varimesh/variational/fit.h"
#include "varimesh/variational/full_covariance.h"
#include "varimesh/variational/mixture.h"

namespace varimesh::paper {
namespace {

BimodalConfig the_config() { return read_bimodal(bimodal_problem()); }

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(bimodal_problem());
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(BimodalConfig, MeasurementsAreTheTruthWithNoiseOfSeedTwo) {
  const BimodalConfig config = the_config();
  const BimodalModel model(config.source, Vector::Constant(1, config.sensor));
  Random random(2);
  for (const double measured : config.measurements) {
    const double noise = config.sigma * random.normal();
    EXPECT_NEAR(measured, model.predict(config.truth.col(0))[0] + noise, 0.5e-4);
    EXPECT_NEAR(measured, model.predict(config.truth.col(1))[0] + noise, 0.5e-4);
  }
}

TEST(BimodalConfig, BadValuesAreNamedWithTheirLine) {
  EXPECT_THAT(test::input_error([] { read_bimodal(replaced("source = 2", "sauce = 2")); }),
              testing::HasSubstr("equation.sauce: unknown key; did you mean 'source'?"));
  EXPECT_THAT(test::input_error([] { read_bimodal(replaced("\nx = 0.5", "\nx = 1.5")); }),
              testing::MatchesRegex("paper/bimodal.toml:[0-9]+: observations.x: expected a number between 0 and 1"));
  EXPECT_THAT(test::input_error([] { read_bimodal(replaced("[1e-8, 1]", "[1, 1e-8]")); }),
              testing::HasSubstr("prior.boundary_value: expected the smaller value first"));
  EXPECT_THAT(test::input_error([] { read_bimodal(replaced("variance = 0.5", "")); }),
              testing::HasSubstr("prior: missing key 'variance'"));
}

TEST(BimodalModel, KeepsTheContractOfForwardModels) {
  const BimodalModel model(2, Vector::LinSpaced(5, 0.1, 0.9));
  Random random(1);
  EXPECT_TRUE(inverse::check_forward_model(model, Eigen::Vector2d(0.3, -0.4), random).holds());
}

TEST(BimodalModel, SolvesTheBoundaryValueProblem) {
  constexpr double h = 0.25, kappa = 0.3, boundary_value = 0.7, source = 2;
  const Vector u =
      BimodalModel(source, Vector::LinSpaced(5, 0, 1)).predict(Eigen::Vector2d(kappa, std::log(boundary_value)));
  EXPECT_EQ(u[0], 0);
  EXPECT_NEAR(u[4], boundary_value, 1e-15);
  // Differences are exact for the parabola.
  for (Index i = 1; i < 4; ++i)
    EXPECT_NEAR(-std::exp(kappa) * (u[i - 1] - 2 * u[i] + u[i + 1]) / (h * h), source, 1e-13);
}

class BimodalQuadratureTest : public testing::Test {
 protected:
  Vector log_densities(const variational::Family& q) const { return q.log_densities(quadrature.nodes()); }
  variational::FitResult fit(variational::FamilyKind family) const {
    return variational::fit(
        posterior,
        {.family = family, .optimizer = variational::Optimizer::adam, .elbo_samples = 10'000, .adam = config.adam});
  }

  const BimodalConfig config = the_config();
  const inverse::Posterior posterior = bimodal_posterior(config);
  const BimodalQuadrature quadrature{config, posterior};
  const PlaneSummary exact = quadrature.summarize(quadrature.log_posterior());
};

TEST_F(BimodalQuadratureTest, LessThanAMillionthLiesBeyondTheGrid) {
  // P(beyond | y) <= P(beyond) max p(y | x) / p(y). For each component of the prior, the grid reaches 8 sds or more in
  // all four directions.
  const auto& observations = posterior.gaussian_likelihood()->observations();
  const double beyond = 4 * 0.5 * std::erfc(BimodalQuadrature::usual_reach / std::sqrt(2.0));
  EXPECT_LT(beyond * std::exp(observations.constant - quadrature.log_evidence()), 1e-6);
}

TEST_F(BimodalQuadratureTest, AFinerAndWiderGridGivesTheSame) {
  const BimodalQuadrature finer(config, posterior, 0.03, 9);
  EXPECT_NEAR(quadrature.log_evidence(), finer.log_evidence(), 1e-9);
  const PlaneSummary fine = finer.summarize(finer.log_posterior());
  EXPECT_NEAR(exact.low.weight, fine.low.weight, 1e-9);
  EXPECT_TRUE(exact.high.mean.isApprox(fine.high.mean, 1e-9));
  EXPECT_TRUE(exact.high.sd.isApprox(fine.high.sd, 1e-9));
}

TEST_F(BimodalQuadratureTest, EvidenceAndWeightsAgreeWithDrawsOfThePrior) {
  constexpr Index draws = 200'000;
  Random random(1);
  Eigen::Array2d sum = Eigen::Array2d::Zero(), squares = sum;  // p(y | x) by mode
  for (Index s = 0; s < draws; ++s) {
    const Vector x = posterior.prior().sample(random);
    const double likelihood = std::exp(posterior.likelihood().value(x));
    const int mode = x[1] > quadrature.split();
    sum[mode] += likelihood;
    squares[mode] += likelihood * likelihood;
  }
  const Eigen::Array2d expected =
      std::exp(quadrature.log_evidence()) * Eigen::Array2d(exact.low.weight, exact.high.weight);
  const Eigen::Array2d mean = sum / draws, standard_error = ((squares / draws - mean.square()) / draws).sqrt();
  for (const int mode : {0, 1}) EXPECT_NEAR(mean[mode], expected[mode], 4 * standard_error[mode]);
  EXPECT_LT(standard_error.maxCoeff(), 0.02);
}

TEST_F(BimodalQuadratureTest, MomentsOfAKnownMixtureAreFound) {
  const Matrix root = Eigen::Matrix2d{{0.3, 0}, {0.2, 0.4}};
  std::vector<std::unique_ptr<variational::GaussianFamily>> components;
  for (const Vector& mean : {Vector(Eigen::Vector2d(-1, -18)), Vector(Eigen::Vector2d(0.5, -0.2))})
    components.push_back(std::make_unique<variational::FullCovariance>(gaussian::DenseGaussian(mean, root)));
  const PlaneSummary found = quadrature.summarize(log_densities(variational::Mixture(std::move(components))));
  EXPECT_NEAR(found.low.weight, 0.5, 1e-9);
  EXPECT_TRUE(found.low.mean.isApprox(Eigen::Vector2d(-1, -18), 1e-9));
  EXPECT_TRUE(found.high.mean.isApprox(Eigen::Vector2d(0.5, -0.2), 1e-9));
  EXPECT_TRUE(found.high.sd.isApprox(Eigen::Vector2d(0.3, std::sqrt(0.2)), 1e-9));
  EXPECT_NEAR(found.high.correlation, 0.06 / (0.3 * std::sqrt(0.2)), 1e-9);
}

TEST_F(BimodalQuadratureTest, ThePosteriorHasNoDivergenceFromItself) {
  EXPECT_EQ(exact.divergence, 0);
  EXPECT_EQ(exact.reverse_divergence, 0);
  EXPECT_EQ(exact.weight_divergence, 0);
  EXPECT_NEAR(exact.low.weight + exact.high.weight, 1, 1e-12);
}

TEST_F(BimodalQuadratureTest, TheGapBetweenEvidenceAndElboIsTheDivergence) {
  for (const auto family : {variational::FamilyKind::mixture, variational::FamilyKind::full_covariance}) {
    const variational::FitResult fitted = fit(family);
    const Vector log_q = log_densities(*fitted.q);
    EXPECT_NEAR(quadrature.mass(log_q), 1, 1e-9);
    EXPECT_NEAR(quadrature.log_evidence() - fitted.elbo.value, quadrature.summarize(log_q).divergence,
                4 * fitted.elbo.standard_error);
    EXPECT_LT(fitted.elbo.standard_error, 0.02);
  }
}

TEST_F(BimodalQuadratureTest, EqualWeightsCostTheirShareOfTheDivergence) {
  const PlaneSummary q = quadrature.summarize(log_densities(*fit(variational::FamilyKind::mixture).q));
  EXPECT_NEAR(q.weight_divergence, -0.5 * std::log(2 * exact.low.weight) - 0.5 * std::log(2 * exact.high.weight), 1e-9);
  EXPECT_GT(q.divergence, q.weight_divergence);
}

StudyOptions options_in(const test::ScratchDirectory& directory) {
  StudyOptions options;
  options.directory = directory.path();
  return options;
}

/// The chapter, made once.
class BimodalChapter : public testing::Test {
 protected:
  struct Made {
    test::ScratchDirectory directory;
    Chapter chapter = bimodal(options_in(directory));
  };

  static void SetUpTestSuite() { made = std::make_unique<Made>(); }
  static void TearDownTestSuite() { made.reset(); }
  static Json summary() { return Json::parse(made->directory.read("bimodal/numbers.json")); }

  static inline std::unique_ptr<const Made> made;
};

TEST_F(BimodalChapter, EveryFigureThatIsCitedIsThere) {
  std::set<std::string> anchors;
  for (const Json& block : made->chapter.blocks)
    EXPECT_TRUE(block["type"] == "text" || anchors.insert(block.at("id")).second) << block["id"];
  for (const Claim& claim : made->chapter.claims) EXPECT_THAT(anchors, testing::IsSupersetOf(claim.figures));
  for (const Evidence& evidence : made->chapter.evidence) EXPECT_THAT(anchors, testing::IsSupersetOf(evidence.figures));
}

TEST_F(BimodalChapter, NoWordIsMadeFromWhatIsNotANumber) {
  for (const Json& block : made->chapter.blocks) EXPECT_THAT(block.dump(), testing::Not(testing::HasSubstr("nan ")));
  for (const Claim& claim : made->chapter.claims)
    EXPECT_THAT(claim.ours + claim.why, testing::Not(testing::HasSubstr("nan")));
}

TEST_F(BimodalChapter, TheMixtureFindsBothModesButNotTheirWeights) {
  const Json numbers = summary();
  for (const char* mode : {"small_u_R", "large_u_R"}) {
    const Json &exact = numbers["exact"][mode], &q = numbers["mixture"][mode];
    EXPECT_NEAR(q["probability"], 0.5, 1e-6);
    for (const char* unknown : {"kappa", "log_u_R"}) {
      const double sd = exact["sd"][unknown];
      EXPECT_NEAR(q["mean"][unknown], exact["mean"][unknown], 0.5 * sd) << mode << ' ' << unknown;
    }
  }
  EXPECT_LT(numbers["exact"]["small_u_R"]["probability"], 0.2);
}

TEST_F(BimodalChapter, BimodalityHoldsAndFlexibilityHoldsInPart) {
  for (const Claim& claim : made->chapter.claims) EXPECT_EQ(claim.verdict, Verdict::holds) << claim.claim;
  ASSERT_EQ(made->chapter.evidence.size(), 1U);
  EXPECT_EQ(made->chapter.evidence[0].conclusion, 7);
  EXPECT_EQ(made->chapter.evidence[0].verdict, Verdict::part);
}

TEST(Bimodal, NoClaimOnAFitHoldsIfItDidNotConverge) {
  const test::ScratchDirectory directory;
  StudyOptions options = options_in(directory);
  options.adam_steps = 10;
  EXPECT_EQ(bimodal(options).claims.back().verdict, Verdict::part);
}

TEST_F(BimodalChapter, OneNormalIsInOneMode) {
  const Json normal = summary()["normal"];
  const double low = normal["small_u_R"]["probability"], high = normal["large_u_R"]["probability"];
  EXPECT_NEAR(std::abs(high - low), 1, 1e-6);
}

TEST_F(BimodalChapter, TheStoredMixtureHasBothModesOfKappa) {
  const run::StoredResult stored = run::read_result(made->directory.path() / "bimodal" / "mixture");
  const Json mixture = summary()["mixture"];
  const Vector kappa = stored.method.draws.chain(0).row(0);
  ASSERT_EQ(kappa.size(), 10'000);
  ASSERT_EQ(stored.method.components.size(), 2U);
  for (const std::size_t number : {0U, 1U}) {
    // The trapezoidal rule on the grid sees the moments to nine digits.
    const Json& mode = mixture[number == 0 ? "small_u_R" : "large_u_R"];
    const double mean = mode["mean"]["kappa"], sd = mode["sd"]["kappa"];
    const gaussian::Gaussian& component = *stored.method.components[number];
    ASSERT_EQ(component.size(), 1);
    EXPECT_NEAR(component.mean()[0], mean, 1e-8);
    EXPECT_NEAR(std::sqrt(component.variance()[0]), sd, 1e-8);
  }
}

TEST_F(BimodalChapter, DrawsOfTheMixtureComeFromBothModesInRandomOrder) {
  const run::StoredResult stored = run::read_result(made->directory.path() / "bimodal" / "mixture");
  const Vector log_u = stored.method.quantity_draws.row(0);
  const double split = summary()["split_log_u_R"];
  EXPECT_EQ((log_u.array() < split).count(), 5000);
  // Of 1,000 draws half in the mean, with an sd of less than 16.
  EXPECT_NEAR(static_cast<double>((log_u.head(1000).array() < split).count()), 500, 64);
  EXPECT_NEAR(static_cast<double>((stored.method.shown_u.bottomRows(1).array() < 0.01).count()), 10, 9);
}

TEST_F(BimodalChapter, TheBoundaryValueIsAQuantityOfStoredResults) {
  for (const char* fit : {"mixture", "normal", "mixture-in-one-mode"}) {
    const run::StoredResult stored = run::read_result(made->directory.path() / "bimodal" / fit);
    ASSERT_EQ(stored.problem.quantities.size(), 1U);
    EXPECT_EQ(stored.problem.quantities[0].name, "log_u_R");
    EXPECT_TRUE(stored.method.elbo);
    // u at the right end, the last node, is u_R; it is stored in single precision.
    const Vector u_right = stored.method.u_draws.bottomRows(1).transpose();
    const Vector expected = stored.method.quantity_draws.row(0).array().exp();
    EXPECT_LT((u_right - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.maxCoeff()) << fit;
  }
}

TEST(Bimodal, StopsWhenItsObserverSaysSo) {
  const test::ScratchDirectory directory;
  StudyOptions options = options_in(directory);
  int calls = 0;
  options.observer = [&](const StudyProgress&) { return ++calls < 5; };
  EXPECT_THROW(bimodal(options), StudyInterrupted);
  EXPECT_EQ(calls, 5);
  EXPECT_THAT(directory.list(), testing::IsEmpty());
}

}  // namespace
}  // namespace varimesh::paper
