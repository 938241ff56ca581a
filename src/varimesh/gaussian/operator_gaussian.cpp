#include "varimesh/gaussian/operator_gaussian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/chordal_diagonals.h"
#include "varimesh/linalg/chordal_rows.h"
#include "varimesh/linalg/ordering.h"
#include "varimesh/linalg/transpose.h"

namespace varimesh::gaussian {
namespace {

using linalg::SparseMatrix;

/// Columns that are worked on together: enough to use each part of the factor well once it is in the cache.
constexpr Eigen::Index block_width = 32;

/// Calls work(columns) for blocks of columns.
template <class Work>
void for_blocks(Eigen::Ref<Matrix> x, const Work& work) {
  for (Eigen::Index first = 0; first < x.cols(); first += block_width)
    work(x.middleCols(first, std::min(block_width, x.cols() - first)));
}

/// X' for a block of white vectors.
Matrix transposed(const Eigen::Ref<const Matrix>& x) {
  Matrix rows(x.cols(), x.rows());
  linalg::columns_to_rows(x, rows);
  return rows;
}

linalg::Graph graph_of(const SparseMatrix& matrix) {
  linalg::Graph graph;
  graph.neighbour.reserve(static_cast<std::size_t>(matrix.nonZeros()));
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) {
      if (entry.row() != j) graph.neighbour.push_back(static_cast<Index>(entry.row()));
    }
    graph.start.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  return graph;
}

linalg::CliqueTree create_tree(const SparseMatrix& m) {
  const linalg::Graph graph = graph_of(m);
  return {graph, linalg::nested_dissection(graph).order, linalg::Amalgamation::relaxed};
}

/// The matrix with entry (order[i], order[j]) of the given one at (i, j).
SparseMatrix renumbered(const SparseMatrix& matrix, const linalg::Ordering& order) {
  const linalg::Ordering position = linalg::inverse(order);
  SparseMatrix result(matrix.rows(), matrix.cols());
  result.reserve(matrix.nonZeros());
  std::vector<std::pair<Index, double>> column;
  for (Index j = 0; j < matrix.cols(); ++j) {
    column.clear();
    for (SparseMatrix::InnerIterator entry(matrix, order[j]); entry; ++entry)
      column.emplace_back(position[entry.row()], entry.value());
    std::ranges::sort(column);
    result.startVec(j);
    for (const auto& [i, value] : column) result.insertBack(i, j) = value;
  }
  result.finalize();
  return result;
}

/// Rows from one numbering into another.
Vector renumbered(const Vector& x, const linalg::Ordering& order) { return x(order); }

void check(const Vector& mean, const SparseMatrix& m, const Vector& c, int order, double sigma) {
  if (m.rows() != mean.size() || m.cols() != mean.size() || c.size() != mean.size())
    throw InputError(fmt::format("expected an operator and a diagonal of size {}, found {} x {} and {}", mean.size(),
                                 m.rows(), m.cols(), c.size()));
  if (order < 1 || order > OperatorGaussian::max_order)
    throw InputError(fmt::format("expected an order from 1 to {}, found {}", OperatorGaussian::max_order, order));
  if (!mean.allFinite()) throw InputError("expected a finite mean");
  if (!(sigma > 0 && std::isfinite(sigma))) throw InputError(fmt::format("expected a positive sigma, found {}", sigma));
  for (const double value : c) {
    if (!(value > 0 && std::isfinite(value)))
      throw InputError(fmt::format("expected a positive diagonal matrix, found {}", value));
  }
}

[[noreturn]] void fail_for_lost_digits() {
  throw InputError(
      "the operator of the field is so badly conditioned that its variances are lost in rounding: take a lower order, "
      "a "
      "shorter range or larger cells");
}

}  // namespace

OperatorGaussian::OperatorGaussian(Vector mean, const SparseMatrix& m, const Vector& c, int order, double sigma,
                                   int threads)
    : Gaussian(std::move(mean)),
      order_((check(this->mean(), m, c, order, sigma), order)),
      sigma_(sigma),
      tree_(create_tree(m)),
      m_(renumbered(m, tree_.order())),
      c_(renumbered(c, tree_.order())),
      root_c_(c_.cwiseSqrt()),
      factor_(linalg::values_on_pattern(tree_, m)) {
  const Vector m_values = order > 2 ? factor_ : Vector();
  if (!linalg::chordal_cholesky(tree_, factor_, threads)) fail_for_lost_digits();
  const Vector variance = unscaled_variance(m_values, threads);
  if (!variance.allFinite() || variance.minCoeff() <= 0) fail_for_lost_digits();
  scale_ = sigma * variance.cwiseSqrt().cwiseInverse();
  check_variance();
  // log det D P_alpha D = 2 log det D - alpha log det M + (alpha - 1) log det C
  log_determinant_ = 2 * scale_.array().log().sum() - order_ * linalg::chordal_log_determinant(tree_, factor_) +
                     (order_ - 1) * c_.array().log().sum();
}

Vector OperatorGaussian::unscaled_variance(const Vector& m_values, int threads) const {
  // With f(s) = diag (s C + S)^-1:  diag P_1 = f(1),  P_2 = -f'(1),  P_3 = f''(1) / 2,  P_4 = -f'''(1) / 6.
  if (order_ == 1) return linalg::chordal_diagonal(tree_, linalg::chordal_selected_inverse(tree_, factor_, threads));
  if (order_ == 2) return linalg::chordal_inverse_diagonals(tree_, factor_, c_, threads).congruence;
  // Higher derivatives by differences of f and f', of fourth order. f is a sum of a_i / (s + mu_i) with a_i, mu_i >= 0,
  // for each of which the relative error of these formulas is at most h^4 (1 + O(h^2)): below 9e-7, and half that in
  // the standard deviations. Rounding in f and f' is magnified by about 8 / h^2 and 5 / h^3.
  constexpr double h = 0.03;
  const auto shifted = [&](double step) {
    Vector factor = m_values;
    for (Index i = 0; i < size(); ++i) factor[static_cast<Eigen::Index>(tree_.find(i, i))] += step * c_[i];
    if (!linalg::chordal_cholesky(tree_, factor, threads)) fail_for_lost_digits();
    return linalg::chordal_inverse_diagonals(tree_, factor, c_, threads);
  };
  const auto [f_above, p2_above] = shifted(h);
  const auto [f_below, p2_below] = shifted(-h);
  const auto [f, p2] = linalg::chordal_inverse_diagonals(tree_, factor_, c_, threads);
  // f'' = 2 (f(1+h) - 2 f(1) + f(1-h)) / h^2 - (f'(1+h) - f'(1-h)) / (2 h)
  if (order_ == 3) return (f_above - 2 * f + f_below) / (h * h) + (p2_above - p2_below) / (4 * h);
  // f''' = 15/2 (f(1+h) - f(1-h) - 2 h f'(1)) / h^3 - 3/2 (f'(1+h) - 2 f'(1) + f'(1-h)) / h^2
  return -1.25 * (f_above - f_below + 2 * h * p2) / (h * h * h) - 0.25 * (p2_above - 2 * p2 + p2_below) / (h * h);
}

void OperatorGaussian::check_variance() const {
  // The variances of some unknowns as the squared norms of rows of the root, whose errors are not magnified.
  if (order_ < 3) return;
  constexpr Index some = 8;
  constexpr double most = 1e-3;
  const Index count = std::min(some, size());
  Matrix rows = Matrix::Zero(size(), count);
  for (Index k = 0; k < count; ++k) rows(static_cast<Index>(static_cast<long long>(k) * size() / count), k) = 1;
  multiply_root_transposed(rows);
  for (Index k = 0; k < count; ++k) {
    if (!(std::abs(rows.col(k).squaredNorm() / (sigma_ * sigma_) - 1) < most)) fail_for_lost_digits();
  }
}

Matrix OperatorGaussian::gather(const Eigen::Ref<const Matrix>& x, const Vector& scale) const {
  Matrix rows(x.cols(), x.rows());
  const linalg::Ordering& order = tree_.order();
  linalg::for_tiles(size(), x.cols(), [&](Eigen::Index i, Eigen::Index j) {
    rows(j, i) = scale[i] * x(order[static_cast<std::size_t>(i)], j);
  });
  return rows;
}

void OperatorGaussian::scatter(const Matrix& rows, const Vector& scale, Eigen::Ref<Matrix> x) const {
  const linalg::Ordering& order = tree_.order();
  linalg::for_tiles(size(), x.cols(), [&](Eigen::Index i, Eigen::Index j) {
    x(order[static_cast<std::size_t>(i)], j) = scale[i] * rows(j, i);
  });
}

void OperatorGaussian::solve(Matrix& rows) const {
  linalg::chordal_solve_lower_rows(tree_, factor_, rows);
  linalg::chordal_solve_upper_rows(tree_, factor_, rows);
}

void OperatorGaussian::times(Matrix& rows) const { rows = linalg::rows_times(rows, m_); }

// White vectors are in the tree's numbering, so that only one side is renumbered.

void OperatorGaussian::multiply_root(Eigen::Ref<Matrix> x) const {
  for_blocks(x, [&](const Eigen::Ref<Matrix>& block) {
    Matrix rows = transposed(block);
    if (order_ % 2 == 1) {
      linalg::chordal_solve_upper_rows(tree_, factor_, rows);
    } else {
      rows *= root_c_.asDiagonal();
      solve(rows);
    }
    if (order_ > 2) {
      rows *= c_.asDiagonal();
      solve(rows);
    }
    scatter(rows, scale_, block);
  });
}

void OperatorGaussian::multiply_root_transposed(Eigen::Ref<Matrix> x) const {
  for_blocks(x, [&](const Eigen::Ref<Matrix>& block) {
    Matrix rows = gather(block, scale_);
    if (order_ > 2) {
      solve(rows);
      rows *= c_.asDiagonal();
    }
    if (order_ % 2 == 1) {
      linalg::chordal_solve_lower_rows(tree_, factor_, rows);
    } else {
      solve(rows);
      rows *= root_c_.asDiagonal();
    }
    linalg::rows_to_columns(rows, block);
  });
}

void OperatorGaussian::solve_root(Eigen::Ref<Matrix> x) const {
  for_blocks(x, [&](const Eigen::Ref<Matrix>& block) {
    Matrix rows = gather(block, scale_.cwiseInverse());
    if (order_ > 2) {
      times(rows);
      rows *= c_.cwiseInverse().asDiagonal();
    }
    if (order_ % 2 == 1) {
      linalg::rows_to_columns(rows, block);
      linalg::chordal_multiply_upper(tree_, factor_, block);
    } else {
      times(rows);
      rows *= root_c_.cwiseInverse().asDiagonal();
      linalg::rows_to_columns(rows, block);
    }
  });
}

void OperatorGaussian::solve_root_transposed(Eigen::Ref<Matrix> x) const {
  for_blocks(x, [&](const Eigen::Ref<Matrix>& block) {
    if (order_ % 2 == 1) linalg::chordal_multiply_lower(tree_, factor_, block);
    Matrix rows = transposed(block);
    if (order_ % 2 == 0) {
      rows *= root_c_.cwiseInverse().asDiagonal();
      times(rows);
    }
    if (order_ > 2) {
      rows *= c_.cwiseInverse().asDiagonal();
      times(rows);
    }
    scatter(rows, scale_.cwiseInverse(), block);
  });
}

Matrix OperatorGaussian::precision_times(const Matrix& x) const {
  Matrix result = x;
  for_blocks(result, [&](const Eigen::Ref<Matrix>& block) {
    Matrix rows = gather(block, scale_.cwiseInverse());
    times(rows);
    for (int step = 1; step < order_; ++step) {
      rows *= c_.cwiseInverse().asDiagonal();
      times(rows);
    }
    scatter(rows, scale_.cwiseInverse(), block);
  });
  return result;
}

Vector OperatorGaussian::precision_diagonal() const {
  // With columns m_i of M:  M_ii,  |m_i|^2,  m_i' w,  |w|^2  for w = M C^-1 m_i, in norms weighted by C^-1
  Vector diagonal(size()), w = Vector::Zero(size());
  const auto for_entries = [&](Index column, const auto& visit) {
    for (SparseMatrix::InnerIterator entry(m_, column); entry; ++entry)
      visit(static_cast<Index>(entry.row()), entry.value());
  };
  for (Index i = 0; i < size(); ++i) {
    double sum = 0;
    if (order_ == 1) {
      sum = m_.coeff(i, i);
    } else if (order_ == 2) {
      for_entries(i, [&](Index j, double value) { sum += value * value / c_[j]; });
    } else {
      for_entries(i, [&](Index j, double value) {
        for_entries(j, [&](Index k, double other) { w[k] += other * value / c_[j]; });
      });
      if (order_ == 3) for_entries(i, [&](Index j, double value) { sum += value * w[j] / c_[j]; });
      for_entries(i, [&](Index j, double) {
        for_entries(j, [&](Index k, double) {
          if (order_ == 4) sum += w[k] * w[k] / c_[k];
          w[k] = 0;
        });
      });
    }
    diagonal[tree_.order()[i]] = sum / (scale_[i] * scale_[i]);
  }
  return diagonal;
}

SparseMatrix OperatorGaussian::precision() const {
  // D^-1 M (C^-1 M)^(alpha-1) D^-1. By entries: Eigen's product with a diagonal matrix takes quadratic time.
  SparseMatrix result = m_, solved = m_;
  for (Eigen::Index e = 0; e < solved.nonZeros(); ++e) solved.valuePtr()[e] /= c_[solved.innerIndexPtr()[e]];
  for (int step = 1; step < order_; ++step) result = (result * solved).eval();
  for (Index j = 0; j < size(); ++j) {
    for (SparseMatrix::InnerIterator entry(result, j); entry; ++entry)
      entry.valueRef() /= scale_[entry.row()] * scale_[j];
  }
  return renumbered(result, linalg::inverse(tree_.order()));
}

}  // namespace varimesh::gaussian
