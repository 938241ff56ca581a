#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "variational/family_cases.h"
#include "varimesh/random.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational::test {

// What the tests of all families have in common.

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Central differences. With a step of 1e-5 they are wrong by about 1e-10 of a third derivative, and by rounding of
/// about 1e-16 / 1e-5 of the value.
inline Vector finite_differences(const std::function<double(const Vector&)>& f, const Vector& x) {
  constexpr double h = 1e-5;
  return Vector::NullaryExpr(x.size(), [&](Eigen::Index i) {
    Vector moved = x;
    moved[i] = x[i] + h;
    const double above = f(moved);
    moved[i] = x[i] - h;
    return (above - f(moved)) / (2 * h);
  });
}
inline constexpr double difference_tolerance = 1e-7;

/// A normal distribution in dense algebra.
struct Normal {
  Vector mean;
  Matrix covariance;
};

/// The components of q, from where it sends the origin and the unit vectors.
inline std::vector<Normal> components_of(const Family& q) {
  const Index n = q.size(), k = q.num_components();
  Matrix z = Matrix::Zero(n, k * (n + 1));
  for (Index c = 0; c < k; ++c) z.middleCols(c * (n + 1) + 1, n).setIdentity();
  const Matrix kappa = q.transform(z);
  std::vector<Normal> result;
  for (Index c = 0; c < k; ++c) {
    const Vector mean = kappa.col(c * (n + 1));
    const Matrix root = kappa.middleCols(c * (n + 1) + 1, n).colwise() - mean;
    result.push_back({mean, root * root.transpose()});
  }
  return result;
}

struct MonteCarlo {
  double mean, standard_error;
};

inline MonteCarlo average(const Vector& values) {
  const double n = static_cast<double>(values.size());
  return {values.mean(), std::sqrt((values.array() - values.mean()).square().sum() / (n * (n - 1)))};
}

template <class Estimate>
void expect_within_four_standard_errors(const Estimate& estimate, double value) {
  EXPECT_NEAR(estimate.mean, value, 4 * estimate.standard_error);
  EXPECT_GT(estimate.standard_error, 0);
}

/// A distribution of the family, and what is drawn.
class FamilyContract : public testing::TestWithParam<Case> {
 protected:
  FamilyContract() : random_(1), q_(GetParam().create(random_)), n_(q_->size()) {}

  /// A multiple of the number of components, of independent columns.
  Matrix normals(Index count) { return normal_matrix(n_, count, random_); }

  Random random_;
  std::unique_ptr<Family> q_;
  Index n_;
};

/// The same for normal families.
class GaussianFamilyContract : public FamilyContract {
 protected:
  const GaussianFamily& q() const { return dynamic_cast<const GaussianFamily&>(*q_); }
};

inline std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

}  // namespace varimesh::variational::test
