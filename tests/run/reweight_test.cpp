#include "varimesh/run/reweight.h"

#include <gtest/gtest.h>

#include <cmath>

#include "varimesh/diagnostics/psis.h"
#include "varimesh/random.h"

namespace varimesh::run {
namespace {

/// A fit N(0, 1) of three independent unknowns, the last of which is N(0.3, 0.9^2) in truth; the quantity is its
/// square.
result::MethodRecord shifted_fit(Index draws) {
  Random random(4);
  const Matrix kappa = random.normal_matrix(3, draws);
  std::vector<double> records;
  Vector log_ratio(draws);
  for (Index s = 0; s < draws; ++s) {
    const auto x = kappa.col(s);
    records.insert(records.end(), x.begin(), x.end());
    for (Index k = 0; k < result::num_statistics; ++k) records.push_back(s);
    log_ratio[s] = 0.5 * x[2] * x[2] - 0.5 * std::pow((x[2] - 0.3) / 0.9, 2);
  }
  result::MethodRecord fit;
  fit.draws = {3, {std::make_shared<result::MemoryDraws>(std::move(records))}};
  fit.log_weights = diagnostics::psis(log_ratio).log_weights;
  fit.kappa = {Vector::Zero(3), Vector::Ones(3), Vector::Zero(3), Vector::Zero(3), Vector::Zero(3)};
  fit.quantity_draws = kappa.row(2).cwiseAbs2();
  fit.quantities = {{1, std::sqrt(2), 0, 0, 0, Vector::Ones(2), Vector::Ones(2)}};
  return fit;
}

TEST(Reweight, FindsTheMomentsOfTheTarget) {
  const result::MethodRecord fit = shifted_fit(20'000);
  ASSERT_TRUE(can_be_reweighted(fit));
  // x^2 for x ~ N(m, s^2) has mean m^2 + s^2 and variance 2 s^4 + 4 m^2 s^2; four standard errors of 20,000 draws
  const double m = 0.3, s = 0.9;
  const double mean = m * m + s * s, sd = std::sqrt(2 * std::pow(s, 4) + 4 * m * m * s * s);
  const Reweighted found = reweight(fit.quantity_draws.row(0), fit.log_weights);
  EXPECT_NEAR(found.mean, mean, 4 * sd / std::sqrt(15'000));
  EXPECT_NEAR(found.sd, sd, 0.1 * sd);
  EXPECT_LT(found.khat, 0.5);
  const Change change = change_by_weights(fit);
  // The field: 0.3 sds in one of three unknowns; the quantity: (0.9 - 1) / sqrt(2) and log(sd / sqrt(2))
  EXPECT_NEAR(change.shift, 0.3 / std::sqrt(3), 0.03);
  EXPECT_NEAR(change.log_ratio, std::abs(std::log(sd / std::sqrt(2))), 0.1);
  const FieldChange field = field_change_by_weights(fit);
  EXPECT_NEAR(field.shift, 0.3 / std::sqrt(3), 0.03);
  EXPECT_NEAR(field.largest_shift, 0.3, 0.03);
  EXPECT_NEAR(field.log_ratio, std::log(0.9) / 3, 0.02);
  EXPECT_TRUE(is_noticeable(field));
}

TEST(EffectiveDraws, AreAllOfEqualWeightsAndFewerWhereWeightsOrTailsAreUneven) {
  Random random(9);
  const Vector x = random.normal_vector(4000);
  EXPECT_NEAR(effective_draws(x, Vector::Zero(4000)), 4000, 1e-6);
  // Draws above 1 are half as likely as they should be: weight 2. The error of an upper tail p from draws of weight
  // 2: its variance is sum w^2 (f - p)^2 / (sum w)^2.
  const Vector log_weights = (x.array() > 1).select(Vector::Constant(4000, std::log(2)), Vector::Zero(4000));
  const double above = (x.array() > 1).cast<double>().mean();
  // p = 5 % of the weight lies in draws of weight 2, of which there are p (1 + above) / 2
  const double total = 1 + above, p = 0.05, n = 4000;
  const double tail = p * total / 2, rest_heavy = above - tail, light = 1 - above;
  const double variance = (4 * tail * (1 - p) * (1 - p) + 4 * rest_heavy * p * p + light * p * p) / (n * total * total);
  EXPECT_NEAR(effective_draws(x, log_weights), p * (1 - p) / variance, 0.02 * n);
}

TEST(Resample, GivesDrawsOfTheTargetWithTheirStatistics) {
  result::MethodRecord fit = shifted_fit(20'000);
  resample(fit);
  EXPECT_EQ(fit.log_weights.size(), 0);
  ASSERT_EQ(fit.draws.num_draws(), 20'000);
  const Vector x = fit.draws.chain(0).row(2);
  EXPECT_NEAR(x.mean(), 0.3, 4 * 0.9 / std::sqrt(15'000));
  EXPECT_NEAR(fit.kappa.mean[2], 0.3, 4 * 0.9 / std::sqrt(15'000));
  EXPECT_NEAR(fit.kappa.sd[2], 0.9, 0.03);
  EXPECT_NEAR(fit.kappa.q95[2], 0.3 + 1.645 * 0.9, 0.05);
  EXPECT_NEAR(fit.kappa.mean[0], 0, 4 / std::sqrt(15'000));
  // A draw keeps the statistics that it came with.
  const Matrix number = fit.draws.statistic(result::Statistic::log_posterior);
  const result::MethodRecord before = shifted_fit(20'000);
  for (const Index s : {0, 777, 19'999})
    EXPECT_EQ(fit.draws.chain(0).col(s), before.draws.chain(0).col(static_cast<Index>(number(s, 0))));
}

TEST(Reweight, EvenWeightsChangeNothingThoughDrawsHaveMomentsOfTheirOwn) {
  result::MethodRecord fit = shifted_fit(100);
  fit.log_weights.setZero();
  const FieldChange field = field_change_by_weights(fit);
  EXPECT_NEAR(field.largest_shift, 0, 1e-12);
  EXPECT_NEAR(field.log_ratio, 0, 1e-12);
  EXPECT_FALSE(is_noticeable(field));
}

TEST(Reweight, NeedsAWeightForEveryDraw) {
  result::MethodRecord fit = shifted_fit(500);
  fit.log_weights.conservativeResize(400);
  EXPECT_FALSE(can_be_reweighted(fit));
  fit = shifted_fit(500);
  fit.quantity_draws(0, 3) = std::nan("");
  EXPECT_FALSE(can_be_reweighted(fit));
}

}  // namespace
}  // namespace varimesh::run
