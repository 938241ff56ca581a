#include "varimesh/variational/curvature_sketch.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "varimesh/random.h"

namespace varimesh::variational {
namespace {

constexpr Index n = 300;

std::shared_ptr<const SparseSigns> signs(Index columns, std::uint64_t seed = 1) {
  return std::make_shared<const SparseSigns>(n, columns, seed);
}

/// W with W W' of the eigenvalues 10^4, ..., falling by `factor` from one to the next.
Matrix decaying(Index rank, double factor, std::uint64_t seed) {
  Random random(seed);
  const Matrix q = random.normal_matrix(n, rank).householderQr().householderQ() * Matrix::Identity(n, rank);
  const Vector roots =
      Vector::NullaryExpr(rank, [&](Eigen::Index i) { return 100 * std::pow(factor, 0.5 * static_cast<double>(i)); });
  return q * roots.asDiagonal();
}

Matrix matrix_of(const Spectrum& spectrum) {
  return *spectrum.directions * spectrum.values.asDiagonal() * spectrum.directions->transpose();
}

TEST(SparseSigns, ProductsAreThoseOfTheDenseMatrix) {
  const auto omega = signs(40);
  const Matrix dense = omega->dense(0, 40);
  EXPECT_EQ(omega->dense(10, 5), dense.middleCols(10, 5));
  // Eight entries of 1/sqrt(8) in every row.
  EXPECT_LT((dense.rowwise().squaredNorm() - Vector::Ones(n)).norm(), 1e-13);
  EXPECT_EQ((dense.array() != 0).count(), 8 * n);
  Random random(1);
  const Matrix x = random.normal_matrix(n, 3);
  for (const int threads : {1, 3})
    EXPECT_LT((omega->transposed_times(x, threads) - dense.transpose() * x).norm(), 1e-12);
  EXPECT_LT((omega->gram(30) - (dense.transpose() * dense).topLeftCorner(30, 30)).norm(), 1e-12);
  Matrix rows = Matrix::Zero(5, 30);
  omega->add_rows_to(7, rows, 2);
  EXPECT_LT((rows - 2 * dense.block(7, 0, 5, 30)).norm(), 1e-14);
}

TEST(CurvatureSketch, AMatrixOfLowerRankThanTheSketchIsFoundToRounding) {
  const Matrix w = decaying(30, 0.6, 2);
  CurvatureSketch sketch(signs(60));
  sketch.add_columns(w, 1, 1);
  const Spectrum spectrum = sketch.spectrum(1e-12, 1);
  // The shift that makes it stable is sqrt(n) times rounding, relative to the largest eigenvalue.
  const Matrix expected = w * w.transpose();
  EXPECT_LT((matrix_of(spectrum) - expected).norm(), 1e-12 * n * expected.norm());
  EXPECT_LT(
      (spectrum.directions->transpose() * *spectrum.directions - Matrix::Identity(spectrum.rank(), spectrum.rank()))
          .norm(),
      1e-6);
  EXPECT_TRUE(sketch.is_wide_enough_for(spectrum));
}

TEST(CurvatureSketch, SketchesAddUpAsTheirMatricesDo) {
  const Matrix a = decaying(20, 0.5, 3), b = decaying(15, 0.7, 4);
  const auto omega = signs(80);
  CurvatureSketch first(omega);
  first.add_columns(a, 1, 1);
  // By images, and by eigenvalues.
  CurvatureSketch second(omega, 0.5 * b * (b.transpose() * omega->dense(0, 80)));
  CurvatureSketch again(omega);
  again.add_columns(b, 1, 1);
  CurvatureSketch of_spectrum(omega);
  of_spectrum.add_spectrum(again.spectrum(1e-12, 1), 0.5, 1);
  second.combine(0.5, of_spectrum, 0.5);
  first.combine(0.25, second, 0.75);
  const Matrix expected = 0.25 * a * a.transpose() + 0.75 * 0.5 * b * b.transpose();
  EXPECT_LT((matrix_of(first.spectrum(1e-12, 1)) - expected).norm(), 1e-9 * expected.norm());
}

TEST(CurvatureSketch, WhatIsLeftOutIsEstimated) {
  // 10^4 * 0.9^i: 200 eigenvalues, of which 0.05 is number 116.
  const Matrix w = decaying(200, 0.9, 5);
  const Vector values =
      Vector::NullaryExpr(200, [](Eigen::Index i) { return 1e4 * std::pow(0.9, static_cast<double>(i)); });
  CurvatureSketch sketch(signs(180));
  sketch.add_columns(w, 1, 1);
  const Spectrum spectrum = sketch.spectrum(1, 1);
  const double true_rest = values.tail(200 - spectrum.rank()).sum();
  // Eight probes of a matrix with some ten eigenvalues of one size: a factor of two.
  EXPECT_GT(spectrum.rest, true_rest / 2);
  EXPECT_LT(spectrum.rest, true_rest * 2);
  EXPECT_LE(spectrum.cut(), 1.2 * CurvatureSketch::most_dropped);
  EXPECT_NEAR(spectrum.rank(), 116, 6);
  // Its eigenvalues are those of the matrix, of which the largest are the most exact.
  EXPECT_LT(
      (spectrum.values.tail(60).reverse() - values.head(60)).cwiseQuotient(values.head(60)).lpNorm<Eigen::Infinity>(),
      1e-3);
  // A sketch of half the width says that it is too narrow.
  CurvatureSketch narrow(signs(90));
  narrow.add_columns(w, 1, 1);
  EXPECT_FALSE(narrow.is_wide_enough_for(narrow.spectrum(1, 1)));
}

TEST(CurvatureSketch, DoesNotDependOnTheNumberOfThreads) {
  const Matrix w = decaying(50, 0.8, 6);
  const auto run = [&](int threads) {
    CurvatureSketch sketch(signs(70));
    sketch.add_columns(w, 0.3, threads);
    return sketch.spectrum(1e-3, threads);
  };
  const Spectrum one = run(1), three = run(3);
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(*one.directions, *three.directions);
  EXPECT_EQ(one.rest, three.rest);
}

TEST(CurvatureSketch, NothingIsOfRankZeroAndNanIsSeen) {
  CurvatureSketch sketch(signs(20));
  EXPECT_EQ(sketch.spectrum(1, 1).rank(), 0);
  sketch.add_columns(Matrix::Constant(n, 1, std::nan("")), 1, 1);
  EXPECT_FALSE(sketch.spectrum(1, 1).values.allFinite());
}

}  // namespace
}  // namespace varimesh::variational
