#include "varimesh/io/known_from_data.h"

#include <gmock/gmock.h>

#include "records.h"
#include "varimesh/random.h"

namespace varimesh::io {
namespace {

TEST(KnownFromData, SharesAreOfEachUnknownsOwnPriorSd) {
  result::MethodRecord method;
  Random random(2);
  method.prior_draws.resize(2, 400);
  for (Eigen::Index s = 0; s < 400; ++s) method.prior_draws.col(s) << random.normal(), 10 * random.normal();
  method.kappa.sd = Eigen::Vector2d(0.5, 10);
  // An sd of 400 draws is known within 3.5 %.
  EXPECT_NEAR(share_of_prior(method)[0], 0.5, 0.07);
  EXPECT_NEAR(share_of_prior(method)[1], 1, 0.14);
  method.prior_draws = Matrix();
  EXPECT_EQ(share_of_prior(method).size(), 0);
}

TEST(KnownFromData, SaysHowMuchIsKnownAndHowMuchIsOnlyThePrior) {
  const auto problem = test::sample_problem(1);  // 12 cells
  Vector share = Vector::Constant(12, 0.7);
  share.head(3).setConstant(0.2);
  share.tail(6).setConstant(0.95);
  EXPECT_EQ(
      known_in_words(problem, share),
      "The data have at least halved the standard deviation that the prior gives \u03ba in 25 % of the cells: there "
      "the "
      "field is known from data. In 50 % they have lowered it by less than a tenth: there it is little else than the "
      "prior.");
  EXPECT_THAT(known_in_words(problem, Vector::Constant(12, 0.1)),
              testing::AllOf(testing::HasSubstr("in all of the cells"), testing::HasSubstr("Nowhere")));
  EXPECT_EQ(known_in_words(problem, Vector(0)), "");
}

}  // namespace
}  // namespace varimesh::io
