#include "varimesh/mcmc/running_covariance.h"

#include <algorithm>
#include <utility>

#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::mcmc {
namespace {

/// The diagonal is enlarged by this share, so that a nearly singular estimate can be factorised.
constexpr double ridge = 1e-6;

Index largest_clique(const linalg::CliqueTree& tree) {
  Index largest = 0;
  for (Index c = 0; c < tree.num_cliques(); ++c) largest = std::max(largest, tree.clique(c).rows);
  return largest;
}

}  // namespace

RunningCovariance RunningCovariance::of(Index size, ScaleKind kind, std::shared_ptr<const linalg::CliqueTree> pattern) {
  RunningCovariance result{.kind = kind, .pattern = std::move(pattern), .mean = Vector::Zero(size)};
  const Eigen::Index n = size;
  switch (kind) {
    case ScaleKind::diagonal:
      result.moments = Vector::Zero(n);
      break;
    case ScaleKind::dense:
      result.moments = Vector::Zero(n * n);
      break;
    case ScaleKind::sparse:
      result.moments = Vector::Zero(static_cast<Eigen::Index>(result.pattern->num_entries()));
      break;
  }
  return result;
}

void RunningCovariance::clear() {
  count = 0;
  mean.setZero();
  moments.setZero();
}

void RunningCovariance::add(const Vector& x) {
  // mean_k = mean_{k-1} + d / k,   M_k = M_{k-1} + (1 - 1/k) d d',   d = x - mean_{k-1}
  ++count;
  const Vector d = x - mean;
  const double share = 1 - 1.0 / count;
  mean += d / count;
  switch (kind) {
    case ScaleKind::diagonal:
      moments += share * d.cwiseAbs2();
      break;
    case ScaleKind::dense: {
      Eigen::Map<Matrix> m(moments.data(), d.size(), d.size());
      m.selfadjointView<Eigen::Lower>().rankUpdate(d, share);
      break;
    }
    case ScaleKind::sparse: {
      const Vector t = linalg::to_tree(*pattern, d);
      for (Index c = 0; c < pattern->num_cliques(); ++c) {
        const auto clique = pattern->clique(c);
        Eigen::Map<Matrix> block(moments.data() + clique.entries, clique.rows, clique.columns);
        for (Index j = 0; j < clique.columns; ++j) {
          const double factor = share * t[clique.first + j];
          for (Index i = 0; i < clique.rows; ++i) block(i, j) += factor * t[clique.members[i]];
        }
      }
      break;
    }
  }
}

Vector RunningCovariance::variance() const {
  const auto diagonal = [&]() -> Vector {
    switch (kind) {
      case ScaleKind::diagonal:
        return moments;
      case ScaleKind::dense:
        return Eigen::Map<const Matrix>(moments.data(), mean.size(), mean.size()).diagonal();
      case ScaleKind::sparse:
        return linalg::from_tree(*pattern, linalg::chordal_diagonal(*pattern, moments));
    }
    return {};
  };
  return diagonal() / (count - 1);
}

std::unique_ptr<gaussian::Gaussian> RunningCovariance::dense_estimate() const {
  Matrix factor = Eigen::Map<const Matrix>(moments.data(), mean.size(), mean.size()) / (count - 1);
  factor.diagonal() *= 1 + ridge;
  if (!linalg::cholesky(factor)) return nullptr;
  return std::make_unique<gaussian::DenseGaussian>(mean, std::move(factor));
}

std::unique_ptr<gaussian::Gaussian> RunningCovariance::sparse_estimate() const {
  Vector sigma = moments / (count - 1), factor;
  for (Index i = 0; i < pattern->size(); ++i) sigma[static_cast<Eigen::Index>(pattern->find(i, i))] *= 1 + ridge;
  if (!linalg::chordal_completion(*pattern, sigma, factor)) return nullptr;
  return std::make_unique<gaussian::SparseGaussian>(mean, pattern, std::move(factor));
}

std::unique_ptr<gaussian::Gaussian> RunningCovariance::diagonal_estimate() const {
  if (count < 2) return nullptr;
  const Vector sd = variance().cwiseSqrt();
  if (!(sd.minCoeff() > 0) || !sd.allFinite()) return nullptr;
  return std::make_unique<gaussian::DiagonalGaussian>(mean, sd);
}

std::unique_ptr<gaussian::Gaussian> RunningCovariance::estimate(Index draws_per_unknown) const {
  switch (kind) {
    case ScaleKind::diagonal:
      return diagonal_estimate();
    case ScaleKind::dense:
      return count / draws_per_unknown > mean.size() ? dense_estimate() : nullptr;
    case ScaleKind::sparse:
      return count / draws_per_unknown > largest_clique(*pattern) ? sparse_estimate() : nullptr;
  }
  return nullptr;
}

}  // namespace varimesh::mcmc
