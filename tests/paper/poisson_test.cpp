// What is measured of Poisson 1D and 2D, and how claims are judged by it, on made-up numbers.
#include "varimesh/paper/poisson.h"

#include <gmock/gmock.h>

#include <Eigen/LU>

#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/paper/poisson_measures.h"

namespace varimesh::paper {
namespace {

using testing::HasSubstr;

result::MethodRecord record_of(const char* method, const char* name, double seconds) {
  result::MethodRecord record;
  record.method = method;
  record.name = name;
  record.seconds = seconds;
  record.elbo = result::Estimate{0, 0};
  return record;
}

Repetition numbers_of(const char* method, double kappa_error, double u_error) {
  Repetition numbers;
  numbers.method = method;
  numbers.kappa_error = kappa_error;
  numbers.u_error = u_error;
  numbers.flux_mean = 2;
  numbers.flux_sd = 0.5;
  return numbers;
}

/// Three data sets, in which MFVB's errors of u are so many times HMC's.
PoissonCase made_up(double prior, double mean_field_u) {
  PoissonCase some;
  some.truth = 0.2;
  some.prior = prior;
  some.answers.methods = {record_of("hmc", "HMC", 8), record_of("pcn", "pCN", 8), record_of("mfvb", "MFVB", 0.1),
                          record_of("fcvb", "FCVB", 0.2), record_of("pmvb", "PMVB", 0.5)};
  for (const double size : {1.0, 2.0, 30.0})
    some.repetitions.push_back({numbers_of("hmc", size, size), numbers_of("pcn", 1.1 * size, size),
                                numbers_of("mfvb", size, mean_field_u * size), numbers_of("fcvb", size, 0.9 * size),
                                numbers_of("pmvb", size, size)});
  some.least_ess = 1234;
  return some;
}

PoissonPlan some_plan() {
  PoissonPlan plan;
  plan.id = "some";
  plan.title = "Some problem";
  return plan;
}

TEST(Judgement, SaysWhyForEachPartThatDoesNotHold) {
  Claim all, some, none;
  judge(all, {{true, "a"}, {true, "b"}});
  judge(some, {{false, "No a."}, {true, "b"}, {false, "No c."}});
  judge(none, {{false, "No a."}});
  EXPECT_EQ(all.verdict, Verdict::holds);
  EXPECT_EQ(all.why, "");
  EXPECT_EQ(some.verdict, Verdict::part);
  EXPECT_EQ(some.why, "No a. No c.");
  EXPECT_EQ(none.verdict, Verdict::fails);
}

TEST(PoissonMeasures, AreMediansOfRatiosToHmc) {
  const PoissonCase a = made_up(0.1, 1.5), b = made_up(0.2, 2);
  const Range u = relative_to_hmc({&a, &b}, "mfvb", &Repetition::u_error);
  EXPECT_DOUBLE_EQ(u.low, 1.5);
  EXPECT_DOUBLE_EQ(u.high, 2);
  EXPECT_EQ(u.words(), "1.50 to 2.00");
  EXPECT_EQ(medians({&a}, "hmc", &Repetition::kappa_error).low, 2);
  EXPECT_EQ(flux_shift({&a}, "fcvb").high, 0);
  EXPECT_DOUBLE_EQ(speedup({&a}, "fcvb").low, 40);
  EXPECT_EQ(repeated(a), "3 data sets");
}

TEST(PoissonMeasures, LikenessIsOfPartialCorrelationsWhateverTheScale) {
  Matrix precision(3, 3);
  precision << 2, -1, 0.2, -1, 3, 0.5, 0.2, 0.5, 4;
  const Matrix scale = Eigen::Vector3d(1, 10, 0.1).asDiagonal();
  EXPECT_NEAR(likeness(precision, scale * precision * scale), 1, 1e-14);
  EXPECT_EQ(likeness(precision, Matrix::Identity(3, 3)), 0);
  Matrix opposite = -precision;
  opposite.diagonal() *= -1;
  EXPECT_NEAR(likeness(precision, opposite), -1, 1e-14);
}

TEST(PoissonMeasures, PrecisionOfDrawsIsThatOfTheirDistribution) {
  Matrix root(2, 2);
  root << 1, 0, 0.5, 0.7;
  result::MethodRecord fit;
  fit.components = {std::make_shared<gaussian::DenseGaussian>(Vector::Zero(2), root)};
  const Matrix exact = (root * root.transpose()).inverse();
  EXPECT_TRUE(precision_matrix(fit).isApprox(exact, 1e-12));
  constexpr Index draws = 40'000;
  Random random(1);
  std::vector<double> records;
  for (Index k = 0; k < draws; ++k) {
    const Vector kappa = fit.components.front()->sample(random);
    records.insert(records.end(), kappa.begin(), kappa.end());
    records.insert(records.end(), result::num_statistics, 0.0);
  }
  result::MethodRecord chains;
  chains.draws = result::Draws(2, {std::make_shared<result::MemoryDraws>(records)});
  // Entries of the inverse of a sample covariance have relative errors of about sqrt(2 / draws) = 0.7 %.
  EXPECT_TRUE(precision_matrix(chains).isApprox(exact, 0.03));
}

TEST(PoissonClaims, MeanFieldsErrorOfUDecidesOnePart) {
  const std::vector<PoissonCase> high = {made_up(0.1, 1.5), made_up(0.2, 2)},
                                 low = {made_up(0.1, 1.5), made_up(0.2, 0.6)};
  const Claim holds = errors_claim(some_plan(), high, 0.2, "figure");
  EXPECT_EQ(holds.verdict, Verdict::holds) << holds.why;
  EXPECT_THAT(holds.ours, HasSubstr("medians of 3 data sets"));
  EXPECT_THAT(holds.ours, HasSubstr("MFVB 1.00 to 1.00 in \u03ba, 1.50 to 2.00 in u"));
  const Claim part = errors_claim(some_plan(), low, 0.2, "figure");
  EXPECT_EQ(part.verdict, Verdict::part);
  EXPECT_THAT(part.why, HasSubstr("stored its standard deviations as variances"));
}

TEST(PoissonClaims, EveryFitMustBeTenTimesFaster) {
  std::vector<PoissonCase> cases = {made_up(0.1, 1)};
  const std::vector<PublishedTimes> published = {{0.2, 0.1, 15, 1000, 2000, 1, 3, 2}};
  EXPECT_EQ(speed_claim(some_plan(), cases, published, "table").verdict, Verdict::holds);
  cases.front().answers.methods.back().seconds = 1;  // PMVB
  const Claim part = speed_claim(some_plan(), cases, published, "table");
  EXPECT_EQ(part.verdict, Verdict::part);
  EXPECT_THAT(part.paper, HasSubstr("5.0 to 15.0 times"));
  EXPECT_THAT(part.ours, HasSubstr("at least 1234 effective draws"));
}

}  // namespace
}  // namespace varimesh::paper
