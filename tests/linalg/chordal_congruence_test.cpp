// Sigma V Sigma on a chordal pattern, and gradients with respect to the factor, against dense algebra.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "linalg/chordal_cases.h"

namespace varimesh::linalg {
namespace {

class ChordalCongruence : public test::ChordalTest {
 protected:
  ChordalCongruence() : v_(masked(random_matrix(n_, n_))) {}

  Vector congruence(const Matrix& v) const {
    return chordal_congruence(tree_, factor_, on_pattern(sigma_), on_pattern(v));
  }
  Matrix lower(const Vector& values) const { return dense(values).triangularView<Eigen::Lower>(); }

  Matrix v_;  // symmetric, on the pattern
};

INSTANTIATE_TEST_SUITE_P(All, ChordalCongruence, testing::ValuesIn(test::chordal_cases()),
                         [](const auto& param_info) { return param_info.param.name; });

constexpr double tolerance = 1e-12;  // rounding times a condition number of a few hundred
// Central differences with step h: h^2 times a third derivative, which is some tens, and rounding / h.
constexpr double step = 1e-4, difference_tolerance = 1e-6;

TEST_P(ChordalCongruence, AgreesWithDense) {
  const Matrix expected = sigma_ * v_ * sigma_;
  EXPECT_LT((dense(congruence(v_)) - masked(expected)).norm(), tolerance * expected.norm());
}

TEST_P(ChordalCongruence, OfThePrecisionIsTheSelectedInverse) {
  EXPECT_LT((dense(congruence(q_)) - masked(sigma_)).norm(), tolerance * sigma_.norm());
}

TEST_P(ChordalCongruence, IsUndoneByTheFisherProjection) {
  const Vector b = chordal_fisher_projection(tree_, factor_, on_pattern(sigma_), congruence(v_));
  EXPECT_LT((dense(b) - v_).norm(), 1e-10 * v_.norm());  // the condition number squared
}

TEST_P(ChordalCongruence, IsSymmetricAsAnOperator) {
  // <U, Sigma V Sigma> = <Sigma U Sigma, V>, both triangles
  const Matrix u = masked(random_matrix(n_, n_));
  const double left = u.cwiseProduct(dense(congruence(v_))).sum(), right = dense(congruence(u)).cwiseProduct(v_).sum();
  EXPECT_NEAR(left, right, tolerance * u.norm() * v_.norm() * sigma_.squaredNorm());
}

TEST_P(ChordalCongruence, IsMinusTheDerivativeOfTheSelectedInverse) {
  const auto selected = [&](double t) {
    Vector factor = on_pattern(q_ + t * v_);
    EXPECT_TRUE(chordal_cholesky(tree_, factor));
    return dense(chordal_selected_inverse(tree_, factor));
  };
  const Matrix derivative = (selected(step) - selected(-step)) / (2 * step);
  EXPECT_LT((derivative + dense(congruence(v_))).norm(), difference_tolerance * derivative.norm());
}

TEST_P(ChordalCongruence, FactorGradientAgreesWithDense) {
  const Matrix expected = (2 * v_ * lower(factor_)).triangularView<Eigen::Lower>();
  const Vector gradient = chordal_factor_gradient(tree_, factor_, on_pattern(v_));
  Matrix on_pattern_only = Matrix::Zero(n_, n_);
  for (Index j = 0; j < n_; ++j)
    for (Index i = j; i < n_; ++i)
      if (has(i, j)) on_pattern_only(i, j) = expected(i, j);
  EXPECT_LT((lower(gradient) - on_pattern_only).norm(), tolerance * expected.norm());
  // Nothing stands above the diagonals of the blocks: the vector's norm is the matrix's.
  EXPECT_NEAR(gradient.norm(), lower(gradient).norm(), tolerance * expected.norm());
}

TEST_P(ChordalCongruence, FactorGradientOfTheLogDeterminantIsDiagonal) {
  // log det Q = 2 sum log L_ii, and its gradient with respect to Q is Sigma.
  const Matrix gradient = lower(chordal_factor_gradient(tree_, factor_, on_pattern(sigma_)));
  const Matrix expected = lower(factor_).diagonal().cwiseInverse().asDiagonal().toDenseMatrix() * 2;
  EXPECT_LT((gradient - expected).norm(), tolerance * expected.norm());
}

TEST_P(ChordalCongruence, FactorGradientOfATraceAgreesWithDifferences) {
  // F(L) = trace(V (L L')^-1), whose gradient with respect to Q is -Sigma V Sigma.
  const Vector gradient = chordal_factor_gradient(tree_, factor_, -congruence(v_));
  const Matrix l = lower(factor_), direction = Matrix(v_.triangularView<Eigen::Lower>()) / v_.norm();
  const auto value = [&](double t) {
    const Matrix root = l + t * direction;
    return (v_ * (root * root.transpose()).inverse()).trace();
  };
  const double derivative = (value(step) - value(-step)) / (2 * step);
  EXPECT_NEAR(lower(gradient).cwiseProduct(direction).sum(), derivative, difference_tolerance * gradient.norm());
}

TEST_P(ChordalCongruence, ThreadsDoNotChangeABit) {
  const Vector v = on_pattern(v_), sigma = on_pattern(sigma_);
  EXPECT_EQ(dense(chordal_congruence(tree_, factor_, sigma, v, 1)),
            dense(chordal_congruence(tree_, factor_, sigma, v, 3)));
  EXPECT_EQ(chordal_factor_gradient(tree_, factor_, v, 1), chordal_factor_gradient(tree_, factor_, v, 3));
}

}  // namespace
}  // namespace varimesh::linalg
