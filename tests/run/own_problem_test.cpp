// A model that varimesh does not know: a line of conductors, solved here by hand, against the same line in a problem
// file.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "../expect_input_error.h"
#include "../scratch_directory.h"
#include "varimesh/cancellation.h"
#include "varimesh/file.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/record_on_mesh.h"
#include "varimesh/run/result_directory.h"
#include "varimesh/run/run_methods.h"

namespace varimesh::run {
namespace {

namespace fs = std::filesystem;

constexpr Index cells = 8;

/// -(exp(kappa) u')' = 0, u(0) = 0, u(1) = 1, with kappa in each of n cells: u is proportional to the resistance on the
/// left. Its gradient is written out.
struct Line {
  Vector resistance;  ///< exp(-kappa) of each cell, times n
  double total = 0;
  Vector u;

  explicit Line(const Vector& kappa) : resistance((-kappa.array()).exp()), total(resistance.sum()) {
    u = Vector::Zero(kappa.size() + 1);
    for (Eigen::Index i = 0; i < kappa.size(); ++i) u[i + 1] = u[i] + resistance[i] / total;
  }
  /// log of the flux through it
  double log_flux() const { return std::log(static_cast<double>(resistance.size()) / total); }
  /// du_i / dkappa_j = -r_j ([j < i] - u_i) / total
  Matrix jacobian() const {
    const Eigen::Index n = resistance.size();
    Matrix slopes(n - 1, n);
    for (Eigen::Index i = 1; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) slopes(i - 1, j) = -resistance[j] * ((j < i ? 1 : 0) - u[i]) / total;
    return slopes;
  }
};

class LineModel final : public inverse::ForwardModel {
 public:
  class At final : public inverse::Linearization {
   public:
    explicit At(const Line& line)
        : prediction_(line.u.segment(1, line.resistance.size() - 1)), slopes_(line.jacobian()) {}
    const Vector& prediction() const override { return prediction_; }
    Vector jacobian_transposed(const Vector& w) const override { return slopes_.transpose() * w; }

   private:
    Vector prediction_;
    Matrix slopes_;
  };

  Index num_parameters() const override { return cells; }
  Index num_predictions() const override { return cells - 1; }
  Vector predict(const Vector& kappa) const override { return Line(kappa).u.segment(1, cells - 1); }
  std::unique_ptr<inverse::Linearization> linearize(const Vector& kappa) const override {
    return std::make_unique<At>(Line(kappa));
  }
};

class LineProblem final : public InverseProblem {
 public:
  using InverseProblem::InverseProblem;
  Prediction predict(const Vector& kappa) const override {
    const Line line(kappa);
    return {line.u, line.u.segment(1, cells - 1), Vector::Constant(1, line.log_flux()), line.u.allFinite()};
  }
};

/// The same line in a problem file, with data, and as a model of one's own.
struct Both {
  test::ScratchDirectory directory;
  Config config;
  Problem problem;
  std::optional<inverse::Posterior> posterior, own_posterior;
  std::optional<LineProblem> own;

  Both() {
    std::string data = "x,value\n";
    for (int i = 1; i < cells; ++i)
      data += fmt::format("{},{}\n", static_cast<double>(i) / cells, std::pow(static_cast<double>(i) / cells, 1.5));
    directory.write("data.csv", data);
    config = parse_config(R"toml(
[mesh]
kind = "interval"
cells = 8
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 1 }
[observations]
data = "data.csv"
sigma = 0.02
[quantities]
log_flux = { log_flux = "left" }
[prior]
kind = "gaussian_process"
length_scale = 0.3
[method]
draws = 300
sensitivity = false
[method.chains]
chains = 2
draws = 200
)toml",
                          directory.path() / "problem.toml");
    problem = build_problem(config, Data::required);
    posterior.emplace(build_posterior(config, problem));
    result::ProblemRecord record = record_on_cells(mesh::create_interval(cells));
    for (int i = 1; i < cells; ++i) record.sensors.points.push_back(record.mesh.nodes[static_cast<std::size_t>(i)]);
    record.quantities = {{"log_flux", "log flux"}};
    own.emplace(record, problem.observations);
    own_posterior.emplace(
        std::make_shared<inverse::GaussianLikelihood>(std::make_shared<LineModel>(), *problem.observations),
        posterior->shared_prior());
  }

  MethodConfig only(std::vector<Method> methods) const {
    MethodConfig settings = config.method;
    settings.use = std::move(methods);
    return settings;
  }
};

class OwnProblem : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, OwnProblem,
                         testing::Values(Method::fcvb, Method::laplace, Method::low_rank, Method::nuts),
                         [](const auto& method) { return std::string(name(method.param)); });

TEST_P(OwnProblem, AnswersAsTheSameProblemOfAFileDoes) {
  const Both both;
  const InferenceOptions options{1, {}, false, false, false};
  const result::MethodRecord file = infer(both.config, both.problem, *both.posterior, GetParam(), options);
  const result::MethodRecord own = infer(both.config.method, *both.own, *both.own_posterior, GetParam(), options);
  // Rounding differs, which chains amplify to what their errors allow.
  const double close = samples_chains(GetParam()) ? 0.4 : 1e-3;
  EXPECT_LT((own.kappa.mean - file.kappa.mean).cwiseQuotient(file.kappa.sd).cwiseAbs().maxCoeff(), close);
  EXPECT_LT((own.kappa.sd.cwiseQuotient(file.kappa.sd).array() - 1).abs().maxCoeff(), close);
  EXPECT_NEAR(own.u.mean[4], file.u.mean[4], close * file.u.sd[4]);
  EXPECT_NEAR(own.quantities.at(0).mean, file.quantities.at(0).mean, close * file.quantities[0].sd);
  ASSERT_TRUE(own.leave_one_out.is_known());
  EXPECT_LT((own.leave_one_out.residual - file.leave_one_out.residual).cwiseAbs().maxCoeff(), 0.2);
}

TEST(OwnProblem, SlopesByDifferencesAgreeWithThoseByGradients) {
  const Both both;
  Random random(3);
  const Vector kappa = random.normal_vector(cells), direction = random.normal_vector(cells);
  // d log(n / sum r) = sum r_j dkappa_j / sum r
  const Line line(kappa);
  const double exact = line.resistance.dot(direction) / line.total;
  EXPECT_NEAR(both.own->quantity_slopes(kappa, direction)[0], exact, 1e-9 * direction.norm());
  EXPECT_EQ(both.own->quantity_slopes(kappa, Vector::Zero(cells))[0], 0);
  const ConfiguredProblem file(both.config, both.problem);
  EXPECT_NEAR(file.InverseProblem::quantity_slopes(kappa, direction)[0], file.quantity_slopes(kappa, direction)[0],
              1e-8 * direction.norm());
}

TEST(OwnProblem, OfABlackBoxHasAnAnswerAndNoVerdictOnData) {
  const Both both;
  const LineProblem blind(both.own->record());
  const result::MethodRecord record =
      infer(both.config.method, blind, both.own_posterior->as_black_box(), Method::fcvb, {1, {}, false});
  ASSERT_TRUE(record.has_answer());
  EXPECT_FALSE(record.leave_one_out.is_known());
  EXPECT_TRUE(std::ranges::none_of(record.trust, [](const result::TrustItem& item) {
    return item.kind == result::TrustItem::Kind::data_fit || item.kind == result::TrustItem::Kind::mesh;
  }));
}

/// Has no state to draw, only readings and a quantity.
class StatelessProblem final : public InverseProblem {
 public:
  using InverseProblem::InverseProblem;
  Prediction predict(const Vector& kappa) const override {
    const Line line(kappa);
    return {Vector(0), line.u.segment(1, cells - 1), Vector::Constant(1, line.log_flux()), true};
  }
  Index num_states() const override { return 0; }
};

TEST(OwnProblem, WithoutAStateIsWrittenReadAndReported) {
  const Both both;
  const fs::path out = both.directory.path() / "out";
  const StatelessProblem stateless(both.own->record(), *both.own->observations());
  const RunResult found = run_methods(out, stateless, *both.own_posterior, both.only({Method::fcvb, Method::nuts}));
  EXPECT_TRUE(found.conclusion.report);
  const StoredResult read = read_result(out / "fcvb");
  EXPECT_EQ(read.method.u.mean.size(), 0);
  EXPECT_EQ(read.method.quantities.at(0).mean, found.methods[0].quantities[0].mean);
  EXPECT_EQ(read.method.predicted.mean, found.methods[0].predicted.mean);
}

/// Forgets the quantity.
class ShortProblem final : public InverseProblem {
 public:
  using InverseProblem::InverseProblem;
  Prediction predict(const Vector& kappa) const override {
    const Line line(kappa);
    return {line.u, line.u.segment(1, cells - 1), Vector(0), true};
  }
};

TEST(OwnProblem, APredictionOfAnotherSizeIsRefused) {
  const Both both;
  const ShortProblem wrong(both.own->record());
  EXPECT_INPUT_ERROR(infer(both.config.method, wrong, *both.own_posterior, Method::fcvb, {1, {}, false}),
                     "predict: expected 1 quantities, as the problem's record has them, found 0");
  result::ProblemRecord fewer = both.own->record();
  fewer.positions.pop_back();
  EXPECT_INPUT_ERROR(LineProblem(result::ProblemRecord(), *both.own->observations()),
                     "expected a point of each sensor in the record, 7 as there are observations, found 0");
  EXPECT_INPUT_ERROR(infer(both.config.method, LineProblem(fewer), *both.own_posterior, Method::fcvb, {1, {}, false}),
                     "expected a record of the posterior's 8 unknowns, found positions of 7");
}

TEST(OwnProblem, WithoutNeighboursHasNoSparsePrecision) {
  const Both both;
  EXPECT_INPUT_ERROR(
      infer(MethodConfig{}, *both.own, *both.own_posterior, Method::pmvb, {1, {}, false}),
      "a sparse precision matrix needs to know which unknowns are neighbours, which this problem does not "
      "say: take low_rank or fcvb");
}

TEST(RunMethods, WritesEveryFileAndAReportFromOneCall) {
  const Both both;
  const fs::path out = both.directory.path() / "out";
  const RunResult found =
      run_methods(out, *both.own, *both.own_posterior, both.only({Method::fcvb, Method::nuts}), {.threads = 2});
  ASSERT_EQ(found.methods.size(), 2U);
  EXPECT_FALSE(found.interrupted);
  EXPECT_FALSE(found.fault);
  EXPECT_EQ(found.conclusion.report, out / "report.html");
  ASSERT_EQ(found.conclusion.comparisons.size(), 1U);
  EXPECT_EQ(found.conclusion.comparisons[0].referee, "nuts");
  for (const char* file : {"report.html", "fcvb/summary.json", "fcvb/posterior.nc", "fcvb/fields.vtu", "fcvb/kappa.csv",
                           "nuts/posterior.nc", "nuts/sensors.vtu"})
    EXPECT_TRUE(file_exists(out / file)) << file;
  const StoredResult read = read_result(out / "nuts");
  EXPECT_EQ(read.method.draws.chain(1), found.methods[1].draws.chain(1));
  EXPECT_EQ(read.problem.fingerprint, both.own->record().fingerprint);
  EXPECT_EQ(read.problem.fingerprint.size(), 16U);
}

TEST(RunMethods, TakesWhatIsThereWhenResumedAndNothingOfAnotherProblem) {
  const Both both;
  const fs::path out = both.directory.path() / "out";
  const RunOptions resumed{.resume = true};
  run_methods(out, *both.own, *both.own_posterior, both.only({Method::fcvb}));
  EXPECT_THAT(test::input_error([&] { run_methods(out, *both.own, *both.own_posterior, both.only({Method::fcvb})); }),
              testing::HasSubstr("expected a new directory"));
  std::vector<std::string> begun;
  std::vector<bool> there;
  const RunObserver observer{.begin = [&](const auto& method) { begun.push_back(method.name); },
                             .progress = {},
                             .end = [&](const auto&, bool was_there) { there.push_back(was_there); }};
  const RunResult again =
      run_methods(out, *both.own, *both.own_posterior, both.only({Method::fcvb, Method::laplace}), resumed, observer);
  EXPECT_THAT(begun, testing::ElementsAre("FCVB", "Laplace"));
  EXPECT_EQ(there, (std::vector{true, false}));
  EXPECT_EQ(again.methods.size(), 2U);
  result::ProblemRecord other = both.own->record();
  other.fingerprint.clear();
  other.sensors.mean[0] += 1;
  EXPECT_THAT(test::input_error([&] {
                run_methods(out, LineProblem(other), *both.own_posterior, both.only({Method::fcvb}), resumed);
              }),
              testing::HasSubstr("holds results of another problem"));
  EXPECT_EQ(run_methods(out, LineProblem(other), *both.own_posterior, both.only({Method::fcvb}), {.replace = true})
                .methods.size(),
            1U);
}

TEST(RunMethods, ShowsWhatThereIsWhenAMethodAfterItCannotRun) {
  const Both both;
  const RunResult found = run_methods(both.directory.path() / "out", *both.own, *both.own_posterior,
                                      both.only({Method::laplace, Method::pmvb, Method::fcvb}));
  ASSERT_TRUE(found.fault);
  EXPECT_THAT(found.fault->what(), testing::HasSubstr("neighbours"));
  EXPECT_EQ(found.methods.size(), 1U);
  EXPECT_TRUE(found.conclusion.report);
}

TEST(RunMethods, EndsWithWhatThereIsWhenTheObserverSaysNo) {
  const Both both;
  const RunObserver observer{
      .begin = {}, .progress = [](const InferenceProgress& now) { return !now.chain; }, .end = {}};
  const RunResult found = run_methods(both.directory.path() / "out", *both.own, *both.own_posterior,
                                      both.only({Method::nuts, Method::fcvb}), {}, observer);
  EXPECT_TRUE(found.interrupted);
  ASSERT_EQ(found.methods.size(), 1U) << "what comes after it is not begun";
  EXPECT_EQ(found.methods[0].status, result::Status::interrupted);
}

}  // namespace
}  // namespace varimesh::run
