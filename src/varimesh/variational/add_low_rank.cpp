#include "varimesh/variational/add_low_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "varimesh/linalg/dense.h"

namespace varimesh::variational {
namespace {

/// An orthonormal basis of the columns' span, by two rounds of Cholesky QR.
Matrix orthonormal(Matrix x) {
  for (int twice = 0; twice < 2; ++twice) {
    Matrix vectors = linalg::transposed_product(x, x);
    Vector values;
    if (!linalg::eigen_decomposition(vectors, values)) return Matrix(x.rows(), 0);
    const Eigen::Index kept = (values.array() > 1e-14 * values[values.size() - 1]).count();
    x = linalg::product(x, vectors.rightCols(kept) * values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal());
  }
  return x;
}

double gain(double mu) { return 0.5 * (mu - std::log1p(mu)); }

}  // namespace

std::unique_ptr<LowRank> add_low_rank(const SparsePrecision& q, const inverse::GaussianPrior& prior,
                                      const Curvature& curvature, Index rank) {
  const gaussian::SparseGaussian& s = q.gaussian();
  const Index n = q.size();
  // (R'P R - I) x
  const auto times = [&](const Matrix& x) {
    Matrix y = x;
    s.multiply_root(y);
    y = prior.gaussian().precision_times(y) + curvature.times(y);
    s.multiply_root_transposed(y);
    return Matrix(y - x);
  };
  // Subspace iteration: the directions wanted stand out, and the last of them gain little.
  constexpr Index spare = 10;
  constexpr int rounds = 4;
  Random random(1);
  Matrix basis = random.normal_matrix(n, std::min(n, rank + spare));
  Matrix image = times(basis);
  // |N|_F^2 = E |N omega|^2
  const double squares = image.squaredNorm() / static_cast<double>(basis.cols());
  for (int round = 0; round < rounds; ++round) {
    basis = orthonormal(std::move(image));
    image = times(basis);
  }
  Matrix vectors = linalg::transposed_product(basis, image);
  vectors = (vectors + vectors.transpose()).eval() / 2;
  Vector mu;
  if (basis.cols() == 0 || !linalg::eigen_decomposition(vectors, mu)) return nullptr;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(mu.size()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](Eigen::Index a, Eigen::Index b) { return gain(mu[a]) > gain(mu[b]); });
  order.resize(std::min(order.size(), static_cast<std::size_t>(rank)));
  const Vector excess = mu(order);
  if (!excess.allFinite() || !(excess.array() > -1).all()) return nullptr;
  // 1/2 (mu - log(1 + mu)) is about mu^2 / 4; no mu left out is larger than the last one kept.
  const double left_out = std::max(0.0, squares - excess.squaredNorm()) / 4;
  const double largest = excess.size() < n ? excess.cwiseAbs().minCoeff() : 0;
  auto directions = std::make_shared<const Matrix>(linalg::product(basis, vectors(Eigen::all, order)));
  return std::make_unique<LowRank>(
      gaussian::LowRankGaussian(q.mean(), std::make_shared<const gaussian::SparseGaussian>(s), directions, excess),
      left_out, std::sqrt(1 + largest) - 1);
}

}  // namespace varimesh::variational
