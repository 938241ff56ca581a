// Unknown source fields of problem files: stochastic forcing.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/run/check.h"
#include "varimesh/run/evaluate.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/record_problem.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::run {
namespace {

constexpr Index cells = 10;

const std::string rod = R"([mesh]
kind = "interval"
cells = 10
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 0 }
[coefficient]
per = "block"
blocks = [1]
[observations]
data = "data.csv"
sigma = 0.004
[prior]
kind = "independent"
sigma = 1e-6
[unknowns.heat]
field = "source"
per = "node"
prior = { kind = "gaussian_process", length_scale = 0.3, sigma = 2, jitter = 1e-8 }
[method]
draws = 2000
)";

/// The marginal of the readings for exp(kappa) = 1, by matrices of this test's own: u = A^-1 M (1 + f) at inner nodes.
struct ClosedForm {
  Matrix response;           ///< P A^-1 M, readings by f at all nodes
  Matrix prior, covariance;  ///< C, and P A^-1 M C M' A^-T P' + Gamma
  Vector mean;               ///< for f = 0

  explicit ClosedForm(const std::vector<Index>& sensors) {
    constexpr double h = 1.0 / cells;
    Matrix stiffness = Matrix::Zero(cells - 1, cells - 1), mass = Matrix::Zero(cells - 1, cells + 1);
    for (Index i = 0; i < cells - 1; ++i) {
      stiffness(i, i) = 2 / h;
      if (i > 0) stiffness(i, i - 1) = stiffness(i - 1, i) = -1 / h;
      mass.row(i).segment(i, 3) << h / 6, 4 * h / 6, h / 6;
    }
    const Matrix solve = stiffness.inverse() * mass;
    response.resize(std::ssize(sensors), cells + 1);
    for (std::size_t s = 0; s < sensors.size(); ++s) response.row(static_cast<Index>(s)) = solve.row(sensors[s] - 1);
    prior.resize(cells + 1, cells + 1);
    for (Index i = 0; i <= cells; ++i) {
      for (Index j = 0; j <= cells; ++j) {
        // Matern 3/2: 4 (1 + r) exp(-r), r = sqrt(3) |x - y| / 0.3, and the jitter
        const double r = std::sqrt(3.0) * std::abs(i - j) * h / 0.3;
        prior(i, j) = 4 * ((1 + r) * std::exp(-r) + (i == j ? 1e-8 : 0));
      }
    }
    covariance = response * prior * response.transpose();
    covariance.diagonal().array() += 0.004 * 0.004;
    mean = response * Vector::Ones(cells + 1);
  }
};

const std::vector<Index> sensors{1, 3, 4, 6, 9};
const Vector measured{{0.061, 0.139, 0.155, 0.133, 0.028}};

class SourceField : public testing::Test {
 protected:
  SourceField() {
    std::string rows = "node,value\n";
    for (std::size_t s = 0; s < sensors.size(); ++s)
      rows += fmt::format("{},{}\n", sensors[s], measured[static_cast<Index>(s)]);
    directory_.write("data.csv", rows);
  }

  Config config(const std::string& text) const { return parse_config(text, directory_.path() / "problem.toml"); }

  test::ScratchDirectory directory_;
};

TEST_F(SourceField, HasTheMarginalLikelihoodAndThePosteriorInClosedForm) {
  const ClosedForm exact(sensors);
  const Config given = config(rod);
  const Problem problem = build_problem(given, Data::required);
  ASSERT_EQ(problem.num_unknowns(), 1 + cells + 1);
  const Matrix jacobian = problem.model->linearize(Vector::Zero(problem.num_unknowns()))->jacobian();
  EXPECT_LT((jacobian.rightCols(cells + 1) - exact.response).norm(), 1e-13);

  const inverse::Posterior posterior = build_posterior(given, problem);
  const result::MethodRecord record = infer(given, problem, posterior, Method::fcvb, {1, {}, false});
  ASSERT_TRUE(record.has_answer()) << record.message;
  // log N(y; P A^-1 M 1, S); the fit of a linear problem is exact but for its stopping rule, 0.01 nats.
  const Vector residual = measured - exact.mean;
  const Eigen::LLT<Matrix> factor(exact.covariance);
  const double evidence = -0.5 * residual.dot(factor.solve(residual)) -
                          Matrix(factor.matrixL()).diagonal().array().log().sum() -
                          0.5 * std::log(2 * std::numbers::pi) * static_cast<double>(residual.size());
  EXPECT_NEAR(record.elbo->value, evidence, 0.02 + 3 * record.elbo->error);
  const Matrix gain = exact.prior * exact.response.transpose() * exact.covariance.inverse();
  const Vector mean = gain * residual;
  const Vector sd = (exact.prior - gain * exact.response * exact.prior).diagonal().cwiseSqrt();
  // 0.01 nats are a mean 0.14 sds off, or an sd of 10 %.
  EXPECT_LT((record.kappa.mean.tail(cells + 1) - mean).cwiseQuotient(sd).lpNorm<Eigen::Infinity>(), 0.14);
  EXPECT_LT((record.kappa.sd.tail(cells + 1).cwiseQuotient(sd).array() - 1).abs().maxCoeff(), 0.1);
}

TEST_F(SourceField, OnCellsBesideAFieldPassesEveryCheck) {
  const std::string plate = R"([mesh]
kind = "rectangle"
cells = [6, 5]
[boundary]
left = { dirichlet = "a" }
[observations]
sensors = "nodes"
sigma = 0.01
[prior]
kind = "spde"
range = 0.5
[unknowns]
heat = { field = "source", prior = { kind = "spde", range = 0.7, sigma = 2, mean = 1 } }
a = { prior = { kind = "normal", mean = 0, sigma = 1 } }
[truth]
kappa = 0.1
heat = 1.5
a = 0.3
)";
  const Config given = config(plate);
  const Problem problem = build_problem(given, Data::if_present);
  ASSERT_EQ(problem.num_unknowns(), 60 + 60 + 1);
  EXPECT_TRUE(check(problem, build_prior(given, problem).get(), 1).passed());
  // The same as a known source of that value.
  std::string known = plate;
  known.replace(known.find("[unknowns]"), std::string::npos, "[equation]\nsource = 1.5\n");
  known.replace(known.find("\"a\""), 3, "0.3");
  const Vector u = evaluate(problem, complete(given, problem, Vector::Constant(60, 0.1))).u;
  const Vector expected = evaluate(build_problem(config(known), Data::if_present), Vector::Constant(60, 0.1)).u;
  EXPECT_LT((u - expected).norm(), 1e-13 * expected.norm());
  const Equation fine = build_refined_equation(given, problem.equation, 1);
  EXPECT_EQ(fine.problem->num_unknowns(), problem.num_unknowns());
}

TEST_F(SourceField, IsReadBackFromResults) {
  for (const char* per : {"node", "cell"}) {
    std::string text = rod + "[truth]\nkappa = 0\nheat = 0.5\n";
    text.replace(text.find("\"node\""), 6, fmt::format("\"{}\"", per));
    const Config given = config(text);
    const Problem problem = build_problem(given, Data::required);
    const inverse::Posterior posterior = build_posterior(given, problem);
    const result::ProblemRecord record = record_problem(given, problem);
    EXPECT_THAT(record.words.equation, testing::HasSubstr("= 1 + heat, a field; "));
    for (const Method method : {Method::pmvb, Method::nuts}) {
      const result::MethodRecord answer = infer(given, problem, posterior, method, {1, {}, false});
      ASSERT_TRUE(answer.has_answer()) << answer.message;
      const auto directory = directory_.path() / fmt::format("{}-{}", per, answer.method);
      write_result(directory, record, answer);
      const std::optional<StoredResult> stored = find_result(directory);
      ASSERT_TRUE(stored);
      ASSERT_EQ(stored->problem.num_unknowns(), problem.num_unknowns());
      EXPECT_EQ(stored->problem.fields.front().name, "heat");
      EXPECT_EQ(stored->method.kappa.q95, answer.kappa.q95);
      EXPECT_EQ(stored->method.draws.chain(0).col(7), answer.draws.chain(0).col(7));
      EXPECT_EQ(stored->method.prior_draws, answer.prior_draws);
      EXPECT_EQ(stored->problem.truth->kappa, record.truth->kappa);
    }
  }
}

TEST_F(SourceField, ThatMakesNoSenseIsNamed) {
  std::string text = rod;
  text.replace(text.find("field = \"source\""), 16, "field = \"sorce\"");
  EXPECT_THAT(test::input_error([&] { static_cast<void>(config(text)); }),
              testing::HasSubstr(":19: unknowns.heat.field: expected one of 'source', found 'sorce'"));
}

}  // namespace
}  // namespace varimesh::run
