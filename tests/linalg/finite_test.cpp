#include "varimesh/linalg/finite.h"

#include <gtest/gtest.h>

#include <limits>

namespace varimesh::linalg {
namespace {

TEST(AllFinite, FindsWhatIsNotFiniteAnywhere) {
  using Limits = std::numeric_limits<double>;
  for (const Index size : {0, 1, 8, 31, 32, 33, 100}) {
    Vector x = Vector::Constant(size, Limits::max());  // of which sums would overflow
    EXPECT_TRUE(all_finite(x));
    for (Index i = 0; i < size; ++i) {
      for (const double bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
        x[i] = bad;
        EXPECT_FALSE(all_finite(x)) << size << " " << i << " " << bad;
      }
      x[i] = -Limits::denorm_min();
    }
    EXPECT_TRUE(all_finite(x));
  }
}

}  // namespace
}  // namespace varimesh::linalg
