// A sampler that is exact passes; others that are off in a known way are found, and their way is named.
#include "varimesh/calibration/summary.h"

#include <gmock/gmock.h>

#include <Eigen/Cholesky>

#include "variational/linear_problem.h"
#include "varimesh/inverse/independent_prior.h"

namespace varimesh::calibration {
namespace {

using testing::HasSubstr;

constexpr Index unknowns = 6, repeats = 150, num_draws = 199;

/// How a sampler is off: the posterior's sds times `scale`, its means moved by so many of them.
struct Fault {
  double scale = 1, shift = 0;
};

result::MethodRecord sample(const varimesh::test::LinearGaussian& exact, Fault fault, Random& random) {
  const Matrix root = exact.covariance.llt().matrixL();
  const Vector sd = exact.covariance.diagonal().cwiseSqrt();
  result::MethodRecord answer;
  answer.kappa.mean = exact.mean + fault.shift * sd;
  answer.kappa.sd = fault.scale * sd;
  std::vector<double> records;
  for (Index s = 0; s < num_draws; ++s) {
    const Vector kappa = answer.kappa.mean + fault.scale * root * random.normal_vector(unknowns);
    records.insert(records.end(), kappa.begin(), kappa.end());
    records.insert(records.end(), result::num_statistics, 0.0);
  }
  answer.draws = {unknowns, {std::make_shared<result::MemoryDraws>(std::move(records))}};
  return answer;
}

/// Of a linear model with normal prior and noise, whose posterior is known: two unknowns and the sum of all.
Calibration calibrate_linear(Fault fault) {
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(unknowns), Vector::Ones(unknowns));
  const Matrix a = varimesh::test::smooth_rows(4, unknowns, 3);
  const FieldPrior field{Vector::Ones(unknowns), Vector::Ones(unknowns)};
  Random random(9);
  std::vector<Repeat> all;
  for (Index r = 0; r < repeats; ++r) {
    const Vector truth = prior->sample(random);
    const auto exact = varimesh::test::linear_gaussian(prior, a, a * truth + 0.3 * random.normal_vector(4), 0.3);
    const result::MethodRecord answer = sample(exact, fault, random);
    const auto kappa = answer.draws.chain(0);
    MethodScore scores;
    scores.method = "made_up";
    scores.has_answer = true;
    scores.trust = r % 3 == 0 ? result::TrustItem::Level::warn : result::TrustItem::Level::good;
    scores.quantities = {score(kappa.row(0).transpose(), DrawKind::independent, truth[0]),
                         score(kappa.row(3).transpose(), DrawKind::independent, truth[3]),
                         score(kappa.colwise().sum().transpose(), DrawKind::independent, truth.sum())};
    scores.field = score_field(answer, truth, field);
    all.push_back({r, {scores}});
  }
  return summarize({{"first", ""}, {"fourth", ""}, {"sum", ""}}, {"Made up"}, unknowns, all);
}

TEST(Calibration, OfAnExactSamplerPasses) {
  const Calibration result = calibrate_linear({});
  const MethodCalibration& method = result.methods[0];
  EXPECT_EQ(method.verdict, Verdict::calibrated);
  EXPECT_EQ(conclude(result), "On this problem Made up is calibrated as far as 150 repeats can tell.");
  for (const QuantityCalibration& quantity : method.quantities) {
    EXPECT_TRUE(quantity.inside_band);
    EXPECT_LT(std::abs(quantity.z.value), 4 * quantity.z.error);
    EXPECT_NEAR(quantity.z_rms, 1, 4 / std::sqrt(2.0 * repeats));  // of a normal z
    for (std::size_t k = 0; k < levels.size(); ++k) {
      EXPECT_LE(quantity.coverage[k].interval.low, levels[k]);
      EXPECT_GE(quantity.coverage[k].interval.high, levels[k]);
    }
  }
  EXPECT_NEAR(method.field.coverage[1].value, 0.9, 4 * method.field.coverage[1].error);
  EXPECT_EQ(method.trust[0].repeats, 100);
  EXPECT_EQ(method.trust[1].repeats, 50);
}

TEST(Calibration, ContractionIsThatOfTheCovariances) {
  const MethodCalibration method = calibrate_linear({}).methods[0];
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(unknowns), Vector::Ones(unknowns));
  const auto exact = varimesh::test::linear_gaussian(prior, varimesh::test::smooth_rows(4, unknowns, 3), 0.3);
  EXPECT_NEAR(method.field.contraction.value, 1 - exact.covariance.trace() / unknowns, 1e-12);
  // The variance of 150 truths, and those of 199 draws.
  const double left = exact.covariance(0, 0);
  EXPECT_NEAR(1 - method.quantities[0].contraction, left, 4 * left * std::sqrt(2.0 / repeats));
}

TEST(Calibration, FindsIntervalsThatAreTooNarrow) {
  const Calibration result = calibrate_linear({0.7, 0});
  EXPECT_EQ(result.methods[0].verdict, Verdict::miscalibrated);
  EXPECT_THAT(conclude(result), HasSubstr("Made up is not calibrated (its intervals are too narrow"));
}

TEST(Calibration, FindsIntervalsThatAreTooWide) {
  const Calibration result = calibrate_linear({1.6, 0});
  EXPECT_EQ(result.methods[0].verdict, Verdict::miscalibrated);
  EXPECT_THAT(conclude(result), HasSubstr("its intervals are too wide"));
}

TEST(Calibration, FindsMeansThatAreShifted) {
  const Calibration result = calibrate_linear({1, 0.5});
  EXPECT_EQ(result.methods[0].verdict, Verdict::miscalibrated);
  EXPECT_THAT(conclude(result), HasSubstr("is too high by "));
}

TEST(Calibration, SaysNothingOfTooFewAnswersAndCountsThoseMissing) {
  std::vector<Repeat> all;
  for (Index r = 0; r < 12; ++r) {
    MethodScore scores;
    scores.method = "made_up";
    if (r < 5) {
      scores.has_answer = true;
      scores.quantities = {score(Vector::LinSpaced(99, 0, 1), DrawKind::independent, 0.3)};
    }
    all.push_back({r, {scores}});
  }
  const Calibration result = summarize({{"first", ""}}, {"Made up"}, 1, all);
  EXPECT_EQ(result.methods[0].answers, 5);
  EXPECT_EQ(
      conclude(result),
      "On this problem whether Made up is calibrated is not known (5 answers are too few to tell); Made up has no "
      "answer in 7 of 12 repeats.");
}

}  // namespace
}  // namespace varimesh::calibration
