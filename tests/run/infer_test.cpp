#include "varimesh/run/infer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "expect_input_error.h"
#include "run/made_up_problem.h"
#include "varimesh/io/csv.h"
#include "varimesh/run/comparisons.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/predict_load.h"
#include "varimesh/run/problem_difference.h"
#include "varimesh/run/record_problem.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::run {
namespace {

using testing::HasSubstr;

const std::string line = R"toml(
[mesh]
kind = "interval"
cells = 8
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 0 }
[observations]
data = "data.csv"
sensors = "nodes"
sigma = 0.01
replicates = 5
[quantities]
log_flux = { log_flux = "left" }
[truth]
kappa = 0.1
[method]
draws = 400
[method.chains]
chains = 2
draws = 300
)toml";
const std::string smooth =
    "[prior]\nkind = \"gaussian_process\"\nkernel = \"squared_exponential\"\nlength_scale = 0.3\n";
const std::string on_nodes = "[coefficient]\nper = \"node\"\n";
const std::string bimodal =
    "[prior]\nkind = \"mixture\"\ncomponents = [{ mean = 0, sigma = 0.3 }, { mean = 0.5, sigma = 0.3 }]\n";

/// A problem in a directory of its own, with made-up data.
struct Case : test::MadeUpProblem {
  explicit Case(const std::string& prior = smooth)
      : MadeUpProblem(line + prior, "", 3,
                      [](const Problem& empty) { return Vector::Constant(empty.num_unknowns(), 0.1); }) {}

  result::MethodRecord infer(Method method, int threads = 1, const InferenceObserver& observer = {}) const {
    return run::infer(config, problem, *posterior, method, {threads, {}, false}, observer);
  }
};

class EveryMethod : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod,
                         testing::Values(Method::pmvb, Method::fcvb, Method::mfvb, Method::laplace, Method::mixture,
                                         Method::nuts, Method::hmc, Method::pcn),
                         [](const auto& method) { return std::string(name(method.param)); });

TEST_P(EveryMethod, AnswersCompletely) {
  const Case c;
  const result::MethodRecord record = c.infer(GetParam());
  ASSERT_TRUE(record.has_answer()) << record.message;
  EXPECT_EQ(record.method, name(GetParam()));
  const bool chains = samples_chains(GetParam());
  EXPECT_EQ(record.chains.has_value(), chains);
  EXPECT_EQ(record.khat.has_value(), !chains);
  EXPECT_EQ(record.elbo.has_value(), !chains);
  EXPECT_EQ(record.num_draws(), chains ? 600 : 400);
  EXPECT_EQ(record.components.size(), chains ? 0U : GetParam() == Method::mixture ? 2U : 1U);
  EXPECT_EQ(record.quantity_draws.cols(), record.num_draws());
  EXPECT_TRUE(record.quantity_draws.allFinite());
  EXPECT_TRUE(record.u.sd.allFinite());
  EXPECT_EQ(record.shown_u.cols(), 20);
  ASSERT_TRUE(record.kappa_error && record.u_error);
  EXPECT_LT(record.kappa_error->value, 3);
  EXPECT_FALSE(record.trust.empty());
  EXPECT_GT(record.solves(), 0);
  EXPECT_TRUE((record.kappa.q05.array() < record.kappa.q50.array()).all());
  EXPECT_TRUE((record.kappa.q50.array() < record.kappa.q95.array()).all());
  // Whatever the method, the mean is within 3 sds of the truth everywhere; but independent normals are too narrow.
  if (GetParam() != Method::mfvb) {
    EXPECT_LT(((record.kappa.mean.array() - 0.1).abs() / record.kappa.sd.array()).maxCoeff(), 3);
  }
}

TEST_P(EveryMethod, DoesNotDependOnThreads) {
  const Case c;
  const result::MethodRecord one = c.infer(GetParam(), 1), three = c.infer(GetParam(), 3);
  EXPECT_EQ(one.kappa.mean, three.kappa.mean);
  EXPECT_EQ(one.u.sd, three.u.sd);
  EXPECT_EQ(one.quantity_draws, three.quantity_draws);
}

TEST(FitOptions, AFitThatScalesChainsMayBeTenTimesAsFarFromTheBest) {
  Case c;
  const auto tolerance = [&](Method method) {
    return fit_options(c.config.method, ConfiguredProblem(c.config, c.problem), *c.posterior, method, 1)
        .natural_gradient.tolerance;
  };
  EXPECT_DOUBLE_EQ(tolerance(Method::hmc), 10 * tolerance(Method::fcvb));
  c.config.method.fit.tolerance = 0.3;
  EXPECT_DOUBLE_EQ(tolerance(Method::fcvb), 0.3);
  EXPECT_DOUBLE_EQ(tolerance(Method::pcn), 3);
}

const result::TrustItem& item(const result::MethodRecord& record, const std::string& word) {
  const auto found = std::ranges::find_if(
      record.trust, [&](const auto& some) { return some.headline.find(word) != std::string::npos; });
  if (found == record.trust.end()) throw std::runtime_error("no verdict with the word " + word);
  return *found;
}

TEST(Auto, TakesWeightedDrawsWhereTheFitIsNotProven) {
  // Twenty times as much noise: the posterior is nearly the prior, and u is far from linear in kappa.
  Case c;
  c.config.method.draws = 1000;
  c.problem.observations->weight /= 400;
  c.posterior.emplace(build_posterior(c.config, c.problem));
  const result::MethodRecord record = c.infer(Method::automatic);
  EXPECT_FALSE(record.chains);
  EXPECT_TRUE(record.components.empty());
  EXPECT_FALSE(record.elbo);
  ASSERT_TRUE(record.khat);
  EXPECT_LT(record.khat->value, 0.5);
  const result::TrustItem& verdict = item(record, "Draws by optimisation");
  EXPECT_EQ(verdict.level, result::TrustItem::Level::good);
  EXPECT_EQ(verdict.kind, result::TrustItem::Kind::choice);
  // What was found about the fit is not said of the draws.
  for (const result::TrustItem& some : record.trust) EXPECT_NE(some.kind, result::TrustItem::Kind::approximation);
  const result::MethodRecord again = c.infer(Method::automatic, 2);
  EXPECT_EQ(again.kappa.mean, record.kappa.mean);
  EXPECT_EQ(again.quantity_draws, record.quantity_draws);
  // As a long run of NUTS says, of the field and of the quantity. Errors of 400 effective draws are 3.5 % of sds, 5 %
  // of an sd of means and 10 % of one of quantiles; four times that.
  c.config.method.chains.draws = 4000;
  const result::MethodRecord nuts = c.infer(Method::nuts);
  EXPECT_LT((record.kappa.sd.cwiseQuotient(nuts.kappa.sd).array() - 1).abs().maxCoeff(), 0.15);
  EXPECT_LT((record.kappa.mean - nuts.kappa.mean).cwiseQuotient(nuts.kappa.sd).cwiseAbs().maxCoeff(), 0.2);
  const result::QuantitySummary &found = record.quantities[0], &exact = nuts.quantities[0];
  EXPECT_NEAR(found.mean, exact.mean, 0.2 * exact.sd);
  EXPECT_NEAR(found.sd, exact.sd, 0.15 * exact.sd);
  EXPECT_NEAR(found.q05, exact.q05, 0.4 * exact.sd);
  EXPECT_NEAR(found.q95, exact.q95, 0.4 * exact.sd);
}

TEST(Auto, DrawsThatTheirWeightsProveDoNotNeedAFitThatHasConverged) {
  Case c;
  c.config.method.draws = 1000;
  c.config.method.fit.max_iterations = 1;
  c.config.method.fit.tolerance = 1e-6;
  c.problem.observations->weight /= 400;
  c.posterior.emplace(build_posterior(c.config, c.problem));
  EXPECT_EQ(c.infer(Method::fcvb).status, result::Status::iteration_limit);
  const result::MethodRecord record = c.infer(Method::automatic);
  EXPECT_EQ(item(record, "Draws by optimisation").level, result::TrustItem::Level::good);
  EXPECT_EQ(record.status, result::Status::completed);
  for (const result::TrustItem& some : record.trust) EXPECT_NE(some.kind, result::TrustItem::Kind::end);
}

TEST(Auto, TakesExactChainsWhereNothingCheaperIsProven) {
  // The same without Jacobians, of which draws by optimisation are made.
  Case c;
  c.config.method.fit.first_derivatives_only = true;
  c.config.method.chains.chains = 4;
  Problem& problem = c.problem;
  problem.observations->weight /= 400;
  c.posterior.emplace(build_posterior(c.config, problem));
  const result::MethodRecord record = c.infer(Method::automatic);
  ASSERT_TRUE(record.chains);
  EXPECT_EQ(record.method, "auto");
  EXPECT_LE(record.chains->rhat, 1.01);
  EXPECT_GE(record.chains->ess_bulk, 400);
  EXPECT_EQ(item(record, "Exact chains").level, result::TrustItem::Level::good);
  EXPECT_THAT(item(record, "Exact chains").explanation, HasSubstr("quantities differ by at most"));
  // The same chains as by threads, and in files; and as a long run of NUTS says.
  const result::MethodRecord again = c.infer(Method::automatic, 2);
  EXPECT_EQ(again.kappa.mean, record.kappa.mean);
  c.config.method.chains.draws = 4000;
  const result::MethodRecord nuts = c.infer(Method::nuts);
  // Errors of sds from 400 effective draws are 3.5 %, of a mean 5 % of an sd; four times that.
  EXPECT_LT((record.kappa.sd.cwiseQuotient(nuts.kappa.sd).array() - 1).abs().maxCoeff(), 0.15);
  EXPECT_LT((record.kappa.mean - nuts.kappa.mean).cwiseQuotient(nuts.kappa.sd).cwiseAbs().maxCoeff(), 0.2);
}

TEST(Auto, TakesAProvenFitWithoutChains) {
  // A hundredth of the noise: the posterior is so narrow that u is linear in kappa.
  Case c;
  c.config.method.draws = 1000;
  c.problem.observations->weight *= 1e4;
  c.problem.observations->mean = c.problem.model->predict(Vector::Constant(8, 0.1));
  c.posterior.emplace(build_posterior(c.config, c.problem));
  const result::MethodRecord record = c.infer(Method::automatic);
  EXPECT_FALSE(record.chains);
  ASSERT_TRUE(record.khat);
  EXPECT_LT(record.khat->value, 0.3);
  EXPECT_EQ(item(record, "corrected by its importance weights").level, result::TrustItem::Level::good);
}

TEST(Auto, TakesChainsThatDidNotConvergeForShortOrNotAtAll) {
  result::MethodRecord chains;
  // The time was over in the warm-up: there are no verdicts, and nothing to take.
  EXPECT_EQ(choose_answer(chains, 4), AutoChoice::unchecked_fit);
  chains.kappa.mean = Vector::Zero(3);
  chains.chains = result::ChainsRecord{.chains = 4, .draws = 250, .rhat = 1.005, .ess_bulk = 500, .ess_tail = 450};
  EXPECT_EQ(choose_answer(chains, 4), AutoChoice::chains);
  chains.chains->chains = 2;  // of four, the others had hardly begun
  EXPECT_EQ(choose_answer(chains, 4), AutoChoice::short_chains);
  chains.chains->chains = 4;
  chains.chains->ess_tail = 390;
  EXPECT_EQ(choose_answer(chains, 4), AutoChoice::short_chains);
  chains.chains->ess_tail = 450;
  // More draws do not mend divergences, and would take all of the budget.
  chains.trust.push_back({result::TrustItem::Level::warn, "Some transitions diverged.", "", ""});
  EXPECT_EQ(choose_answer(chains, 4), AutoChoice::chains);
  // Unknowns of which nothing is known are not among the extremes.
  chains.trust.push_back({result::TrustItem::Level::bad, "Convergence cannot be judged.", "", ""});
  EXPECT_EQ(choose_answer(chains, 4), AutoChoice::short_chains);
  chains.trust.clear();
  chains.chains->ess_bulk = 40;
  EXPECT_EQ(choose_answer(chains, 4), AutoChoice::unchecked_fit);
  chains.chains->ess_bulk = 500;
  chains.chains->rhat = 1.06;
  EXPECT_EQ(choose_answer(chains, 4), AutoChoice::unchecked_fit);
}

TEST(Infer, AQuantityThatHasNotConvergedIsNamedThoughEveryUnknownHas) {
  Case c;
  c.config.method.chains.draws = 2000;
  result::MethodRecord record = c.infer(Method::nuts);
  record.trust.clear();
  judge_predictions(ConfiguredProblem(c.config, c.problem), DataKind::inferred_from, 0, nullptr, record);
  const auto names_it = [&] {
    return std::ranges::any_of(record.trust, [](const auto& some) { return some.headline.starts_with("'log_flux'"); });
  };
  const bool before = names_it();
  // The same draws in ascending order: a chain that drifts.
  record.trust.clear();
  Vector values = record.quantity_draws.row(0);
  std::ranges::sort(values);
  record.quantity_draws.row(0) = values;
  judge_predictions(ConfiguredProblem(c.config, c.problem), DataKind::inferred_from, 0, nullptr, record);
  EXPECT_FALSE(before);
  EXPECT_TRUE(names_it());
  EXPECT_EQ(item(record, "'log_flux'").level, result::TrustItem::Level::bad);
}

TEST(Auto, SaysThatThereWasNoTime) {
  Case c;
  c.problem.observations->weight /= 400;
  c.posterior.emplace(build_posterior(c.config, c.problem));
  c.config.method.budget = 1e-6;
  const result::MethodRecord record = c.infer(Method::automatic);
  EXPECT_FALSE(record.chains);
  EXPECT_EQ(record.status, result::Status::converged);
  const result::TrustItem& verdict = item(record, "unchecked");
  EXPECT_EQ(verdict.level, result::TrustItem::Level::warn);
  EXPECT_THAT(verdict.action, HasSubstr("--budget"));
  EXPECT_THAT(verdict.headline, HasSubstr("covariance at its mean"));
  // All numbers are of the mean of FCVB with the covariance there, which in dense algebra is (Q + J' Gamma^-1 J)^-1.
  const result::MethodRecord fcvb = c.infer(Method::fcvb);
  EXPECT_EQ(record.kappa.mean, fcvb.kappa.mean);
  const Matrix j = c.problem.model->linearize(fcvb.kappa.mean)->jacobian();
  Matrix precision = c.posterior->gaussian_prior()->gaussian().precision_times(Matrix::Identity(8, 8));
  precision += j.transpose() * c.problem.observations->weight.asDiagonal() * j;
  const Vector sd = precision.inverse().diagonal().cwiseSqrt();
  EXPECT_LT((record.kappa.sd - sd).cwiseQuotient(sd).cwiseAbs().maxCoeff(), 1e-6);
  ASSERT_EQ(record.components.size(), 1U);
  EXPECT_LT((record.components[0]->variance() - sd.cwiseAbs2()).cwiseAbs().maxCoeff(), 1e-6);
  // Draws are of it, too: four standard errors of an sd by 400.
  const Matrix draws = record.draws.chain(0);
  const Matrix centred = draws.colwise() - draws.rowwise().mean();
  const Vector of_draws = (centred.rowwise().squaredNorm() / draws.cols()).cwiseSqrt();
  EXPECT_LT((of_draws.cwiseQuotient(sd).array() - 1).abs().maxCoeff(), 4 / std::sqrt(2.0 * 400));
}

TEST(Infer, PredictionsAreThoseOfTheDraws) {
  const Case c;
  const result::MethodRecord record = c.infer(Method::nuts);
  const Vector kappa = record.draws.chain(1).col(17);
  const fem::EllipticSolution solution = c.problem.equation.problem->solve(kappa);
  const Index column = 300 + 17;
  EXPECT_EQ(record.quantity_draws(0, column), c.problem.quantities[0].value(solution));
  EXPECT_EQ(Vector(record.predicted_draws.col(column)), c.problem.model->readings(solution));
  EXPECT_EQ(Vector(record.u_draws.col(column)), c.problem.equation.problem->in_mesh_order(solution.u()));
  EXPECT_TRUE(record.predicted.mean.isApprox(record.predicted_draws.rowwise().mean(), 1e-12));
  const Vector spread = (record.predicted_draws.colwise() - record.predicted.mean).rowwise().squaredNorm() / 599;
  EXPECT_TRUE(record.predicted.sd.isApprox(spread.cwiseSqrt(), 1e-10));
}

TEST(Infer, StopsWhenTheObserverSaysSo) {
  const Case c;
  const result::MethodRecord fit =
      c.infer(Method::pmvb, 1, [](const InferenceProgress& now) { return now.stage != "fit"; });
  EXPECT_EQ(fit.status, result::Status::interrupted);
  const result::MethodRecord early =
      c.infer(Method::nuts, 1, [](const InferenceProgress& now) { return now.stage != "scale"; });
  EXPECT_EQ(early.status, result::Status::interrupted);
  EXPECT_FALSE(early.has_answer());
  EXPECT_EQ(early.trust.size(), 1U);
}

TEST(Infer, UsesTheChainsThatAreFarEnoughWhenInterrupted) {
  const Case c;
  // On one thread chains run one after the other: the last one has hardly begun.
  const result::MethodRecord record = c.infer(Method::nuts, 1, [](const InferenceProgress& now) {
    return !now.chain || now.chain->chain == 0 || now.chain->transitions < 2;
  });
  EXPECT_EQ(record.status, result::Status::interrupted);
  ASSERT_TRUE(record.has_answer());
  EXPECT_EQ(record.draws.num_chains(), 1);
  EXPECT_EQ(record.draws.num_draws(), 300);
  EXPECT_THAT(record.message, HasSubstr("the one that is far enough is used"));
}

TEST(Infer, ErrorsAreThoseOfTheMeanAndOfTheDraws) {
  const Case c;
  const result::MethodRecord record = c.infer(Method::fcvb);
  const Vector truth = Vector::Constant(8, 0.1);
  EXPECT_DOUBLE_EQ(record.kappa_error->value, (record.kappa.mean - truth).norm());
  EXPECT_EQ(record.kappa_error->error, 0);
  const auto u = [&](const Vector& kappa) {
    return c.problem.equation.problem->in_mesh_order(c.problem.equation.problem->solve(kappa).u());
  };
  double sum = 0;
  for (Index s = 0; s < 400; ++s) sum += (u(record.draws.chain(0).col(s)) - u(truth)).norm() / 400;
  EXPECT_NEAR(record.u_error->value, sum, 1e-12);
}

TEST(Infer, AnswersForAPriorThatIsNotNormal) {
  const Case c(bimodal);
  for (const Method method : {Method::mixture, Method::nuts}) {
    const result::MethodRecord record = c.infer(method);
    ASSERT_TRUE(record.has_answer()) << record.message;
    EXPECT_LT(((record.kappa.mean.array() - 0.1).abs() / record.kappa.sd.array()).maxCoeff(), 3.5);
  }
  EXPECT_THAT(test::input_error([&] { c.infer(Method::laplace); }), HasSubstr("need a normal prior"));
}

TEST(Infer, NeedsDataAndPrior) {
  const Case c;
  Config config = c.config;
  config.prior.reset();
  EXPECT_THAT(test::input_error([&] { build_posterior(config, c.problem); }), HasSubstr("expected a table [prior]"));
  Problem problem = c.problem;
  problem.observations.reset();
  EXPECT_THAT(test::input_error([&] { build_posterior(c.config, problem); }),
              HasSubstr("expected a table [observations]"));
}

TEST(Comparisons, AreByTheBestReferee) {
  const Case c;
  const std::vector<result::MethodRecord> methods = {c.infer(Method::mfvb), c.infer(Method::fcvb)};
  const auto by_fcvb = compare_methods(methods, 1);
  ASSERT_EQ(by_fcvb.size(), 1U);
  EXPECT_EQ(by_fcvb[0].method, "mfvb");
  EXPECT_EQ(by_fcvb[0].referee, "fcvb");
  EXPECT_LT(by_fcvb[0].largest_sd_ratio, 0.8);  // independent normals are too narrow here
  EXPECT_TRUE(compare_methods({methods[0]}, 1).empty());
}

TEST(Comparisons, AnAnswerThatWeightsProveMeasuresFits) {
  Case c;
  c.config.method.draws = 1000;
  const std::vector<result::MethodRecord> methods = {c.infer(Method::fcvb), c.infer(Method::automatic)};
  ASSERT_FALSE(methods[1].chains);
  ASSERT_EQ(methods[1].trust.front().kind, result::TrustItem::Kind::choice);
  ASSERT_EQ(methods[1].trust.front().level, result::TrustItem::Level::good);
  const auto found = compare_methods(methods, 1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].referee, "auto");
  EXPECT_THAT(found[0].sentence, testing::Not(HasSubstr("Both are approximations")));
}

TEST(Comparisons, DoNotMeasureAPosteriorByThatOfAnotherProblem) {
  const Case c;
  const std::vector<result::MethodRecord> methods = {c.infer(Method::mfvb), c.infer(Method::fcvb),
                                                     c.infer(Method::mfvb)};
  const auto same = compare_methods(methods, {"a", "a", "b"}, 1);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].referee, "fcvb");
  EXPECT_TRUE(compare_methods(methods, {"a", "b", "c"}, 1).empty());
}

TEST(ProblemDifference, SaysWhatDiffersAndWhoHasIt) {
  result::ProblemRecord problem;
  problem.words = {"E.", "M.", "S.", "Short.", "N.", ""};
  result::ProblemWords other = problem.words;
  other.prior = "Long.";
  const auto found = name_differences({"A", "B", "C"}, {problem.words, other, problem.words}, problem);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], "Different priors, so that one posterior is no measure of the other. A, C: Short. B: Long.");
  EXPECT_EQ(problem.words.prior, "Not the same for all. A, C: Short. B: Long.");
  EXPECT_EQ(problem.words.equation, "E.");
}

TEST(ResultDirectory, ReadsBackWhatItWrote) {
  const Case c;
  const result::ProblemRecord problem = record_problem(c.config, c.problem);
  for (const Method method : {Method::pmvb, Method::mixture, Method::nuts}) {
    const result::MethodRecord written = c.infer(method);
    const auto directory = c.directory.path() / std::string(name(method));
    write_result(directory, problem, written);
    const StoredResult read = read_result(directory);
    EXPECT_EQ(read.problem.fingerprint, problem.fingerprint);
    EXPECT_EQ(read.problem.mesh.nodes, problem.mesh.nodes);
    EXPECT_EQ(read.method.kappa.mean, written.kappa.mean);
    EXPECT_EQ(read.method.settings, written.settings);
    EXPECT_EQ(read.method.draws.chain(0), written.draws.chain(0));
    EXPECT_EQ(read.method.components.size(), written.components.size());
    EXPECT_EQ(read.method.trust.size(), written.trust.size());
  }
  EXPECT_EQ(find_results(c.directory.path()).size(), 3U);
  EXPECT_THAT(test::input_error([&] { find_results(c.directory.path() / "pmvb" / "draws"); }),
              HasSubstr("found no summary.json"));
}

TEST(PredictLoad, TakesTheFieldToAnotherLoad) {
  const Case c;
  const StoredResult stored{record_problem(c.config, c.problem), c.infer(Method::fcvb)};

  // The equation is linear in its load: twice the source gives twice the solution.
  Config doubled = c.config;
  doubled.source.value = FunctionConfig{"", 2.0};
  doubled.observations.reset();
  doubled.truth.reset();
  const Problem problem = build_problem(doubled, Data::if_present);
  const ConfiguredProblem load(doubled, problem);
  const result::MethodRecord same = predict_load(load, stored, {});
  EXPECT_TRUE(same.u.mean.isApprox(2 * stored.method.u.mean, 1e-12));
  EXPECT_TRUE(same.u.sd.isApprox(2 * stored.method.u.sd, 1e-10));
  EXPECT_NEAR(same.quantities[0].mean, stored.method.quantities[0].mean + std::log(2.0), 1e-12);
  EXPECT_FALSE(same.kappa_error);

  // Fresh draws have the same mean within five standard errors.
  const result::MethodRecord fresh = predict_load(load, stored, {2000, 5, 2});
  EXPECT_EQ(fresh.num_draws(), 2000);
  const double error = same.quantities[0].sd * std::sqrt(1.0 / 400 + 1.0 / 2000);
  EXPECT_NEAR(fresh.quantities[0].mean, same.quantities[0].mean, 5 * error);
}

TEST(PredictLoad, ChainsKeepTheirDrawsAndDoubtsAreInherited) {
  const Case c;
  StoredResult stored{record_problem(c.config, c.problem), c.infer(Method::nuts)};
  stored.method.trust = {
      {result::TrustItem::Level::warn, "A doubt.", "Why.", "What to do."},
      {result::TrustItem::Level::good, "All is well.", "Indeed.", ""},
      {result::TrustItem::Level::warn, "'x' rests on the prior.", "", "", result::TrustItem::Kind::prior, "x"},
      {result::TrustItem::Level::good, "The answer holds if the field is smooth.", "", "",
       result::TrustItem::Kind::prior}};
  const result::MethodRecord predicted = predict_load(ConfiguredProblem(c.config, c.problem), stored, {100, 1, 1});
  EXPECT_EQ(predicted.num_draws(), stored.method.num_draws());
  EXPECT_EQ(predicted.draws.chain(1), stored.method.draws.chain(1));
  ASSERT_GE(predicted.trust.size(), 3U);
  EXPECT_EQ(predicted.trust[0].headline, "In the inference, a doubt.");
  // A quantity that only the inference has makes the whole prediction doubtful; so does what the field rests on.
  EXPECT_EQ(predicted.trust[1].headline, "In the inference, 'x' rests on the prior.");
  EXPECT_EQ(predicted.trust[1].quantity, "");
  EXPECT_EQ(predicted.trust[2].headline, "In the inference, the answer holds if the field is smooth.");
  EXPECT_EQ(result::verdict(predicted.trust, {}), "The answer can be used with care: in the inference, a doubt.");
  // Statistics of the inference do not hold for other data.
  EXPECT_TRUE(predicted.draws.statistic(result::Statistic::log_posterior).array().isNaN().all());
}

TEST(FieldOnNodes, IsInferredAlikeByFitsAndChainsAndReadBack) {
  const Case c(smooth + on_nodes);
  EXPECT_EQ(c.problem.num_unknowns(), 9);
  const result::ProblemRecord problem = record_problem(c.config, c.problem);
  EXPECT_THAT(problem.words.mesh, HasSubstr("one unknown kappa for each node, 9 in all"));
  const result::MethodRecord nuts = c.infer(Method::nuts);
  // 9 nodes are all within ten steps: the sparse pattern is full, too.
  for (const Method method : {Method::fcvb, Method::pmvb}) {
    const result::MethodRecord fit = c.infer(method);
    // 600 draws of chains have errors of a tenth of an sd, 400 of a fit have 0.05; the posterior is nearly normal.
    EXPECT_LT((fit.kappa.mean - nuts.kappa.mean).cwiseQuotient(nuts.kappa.sd).cwiseAbs().maxCoeff(), 0.3);
    EXPECT_LT((fit.kappa.sd.cwiseQuotient(nuts.kappa.sd).array() - 1).abs().maxCoeff(), 0.2);
    EXPECT_NEAR(fit.quantities[0].mean, nuts.quantities[0].mean, 0.3 * nuts.quantities[0].sd);
  }
  write_result(c.directory.path() / "nuts", problem, nuts);
  const StoredResult read = read_result(c.directory.path() / "nuts");
  EXPECT_TRUE(read.problem.on_nodes());
  EXPECT_EQ(read.problem.positions, problem.mesh.nodes);
  EXPECT_EQ(read.method.draws.chain(1), nuts.draws.chain(1));
  // Its kappa.csv is a file of kappa.
  EXPECT_EQ(read_kappa((c.directory.path() / "nuts" / "kappa.csv").string(), 9), nuts.kappa.mean);
  // The same load gives the same predictions.
  EXPECT_TRUE(predict_load(ConfiguredProblem(c.config, c.problem), read, {}).u.mean.isApprox(nuts.u.mean, 1e-12));
}

TEST(PredictLoad, RefusesUnknownsElsewhere) {
  const Case cells, nodes(smooth + on_nodes);
  const StoredResult stored{record_problem(cells.config, cells.problem), cells.infer(Method::laplace)};
  EXPECT_INPUT_ERROR(predict_load(ConfiguredProblem(nodes.config, nodes.problem), stored, {}),
                     "expected a load case on the mesh of the result, but one has unknowns in its cells and the other "
                     "at its nodes ([coefficient])");
}

TEST(PredictLoad, RefusesAnotherMesh) {
  const Case c;
  const StoredResult stored{record_problem(c.config, c.problem), c.infer(Method::nuts)};
  Config finer = c.config;
  finer.mesh.shape = IntervalMesh{9, {}};
  finer.observations.reset();
  finer.truth.reset();
  const Problem problem = build_problem(finer, Data::if_present);
  EXPECT_INPUT_ERROR(
      predict_load(ConfiguredProblem(finer, problem), stored, {}),
      "expected a load case on the mesh of the result, but one has 8 cells and 9 nodes, the other 9 and 10");
}

}  // namespace
}  // namespace varimesh::run
