#include "varimesh/io/precision_picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::io {
namespace {

constexpr Index most_dense_unknowns = 3000;    // a second or two
constexpr Index most_sampled_unknowns = 2000;  // as long
constexpr Index fewest_draws_per_unknown = 5;  // effective ones; the inverse is 25 % too large on average then
constexpr Index most_draws_per_unknown = 10;   // more would be slow, and nobody would see the difference
constexpr long long fewest_draws_used = 20'000;
constexpr Index most_unknowns_in_own_order = 2000;  // beyond, the order of elimination shows more of the structure

/// Takes the entries of a matrix one by one.
class Reducer {
 public:
  Reducer(Index unknowns, Index most, PrecisionPicture::Order order) : blocks_(unknowns) {
    picture_.unknowns = unknowns;
    picture_.size = std::min(unknowns, most);
    picture_.order = order;
    picture_.fill = picture_.value = Vector::Zero(static_cast<Eigen::Index>(picture_.size) * picture_.size);
    for (Index b = 0; b < picture_.size; ++b) std::fill(blocks_.begin() + start(b), blocks_.begin() + start(b + 1), b);
  }

  /// An entry of the lower triangle, and its mirror image.
  void add(Index i, Index j, double entry) {
    add_one(i, j, entry);
    if (i != j) add_one(j, i, entry);
  }

  PrecisionPicture finish() {
    for (Index row = 0; row < picture_.size; ++row) {
      for (Index column = 0; column < picture_.size; ++column)
        picture_.fill[place(row, column)] /=
            static_cast<double>(start(row + 1) - start(row)) * (start(column + 1) - start(column));
    }
    return std::move(picture_);
  }

 private:
  Index start(Index block) const {
    return static_cast<Index>(static_cast<long long>(block) * picture_.unknowns / picture_.size);
  }
  Eigen::Index place(Index row, Index column) const { return static_cast<Eigen::Index>(row) * picture_.size + column; }
  void add_one(Index i, Index j, double entry) {
    const Eigen::Index k = place(blocks_[i], blocks_[j]);
    ++picture_.nonzeros;
    ++picture_.fill[k];
    if (std::abs(entry) > std::abs(picture_.value[k])) picture_.value[k] = entry;
  }

  PrecisionPicture picture_;
  std::vector<Index> blocks_;  // of each unknown
};

PrecisionPicture picture_sparse(const gaussian::SparseGaussian& gaussian, Index most) {
  const linalg::CliqueTree& tree = gaussian.tree();
  const bool own_order = tree.size() <= most_unknowns_in_own_order;
  Reducer reducer(tree.size(), most,
                  own_order ? PrecisionPicture::Order::natural : PrecisionPicture::Order::elimination);
  const Vector values = linalg::chordal_product(tree, gaussian.factor());
  const auto number = [&](Index vertex) { return own_order ? tree.order()[vertex] : vertex; };
  for (Index c = 0; c < tree.num_cliques(); ++c) {
    const auto clique = tree.clique(c);
    const auto block = linalg::block_of(values, clique);
    for (Index j = 0; j < clique.columns; ++j) {
      for (Index i = j; i < clique.rows; ++i)
        reducer.add(number(clique.members[i]), number(clique.members[j]), block(i, j));
    }
  }
  return reducer.finish();
}

/// Of R^-1, the inverse of a root of the covariance.
PrecisionPicture picture_dense(const Matrix& inverse_root, Index most) {
  const auto n = static_cast<Index>(inverse_root.rows());
  Matrix precision = Matrix::Zero(n, n);
  linalg::add_gram(inverse_root, 1, precision);
  Reducer reducer(n, most, PrecisionPicture::Order::natural);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) reducer.add(i, j, precision(i, j));
  }
  return reducer.finish();
}

/// Calls visit(draws, one a row) for every stride-th draw of each chain, some hundred at a time.
template <class Visit>
void for_each_chunk(const result::Draws& draws, Index stride, const Visit& visit) {
  constexpr Index chunk = 512;
  for (Index c = 0; c < draws.num_chains(); ++c) {
    const auto kappa = draws.chain(c);
    const Index used = (draws.num_draws(c) + stride - 1) / stride;
    for (Index begin = 0; begin < used; begin += chunk) {
      Matrix some(std::min(chunk, used - begin), draws.size());
      for (Index s = 0; s < some.rows(); ++s) some.row(s) = kappa.col((begin + s) * stride).transpose();
      visit(some);
    }
  }
}

/// The lower triangle of the draws' covariance.
Matrix covariance(const result::Draws& draws) {
  const Index n = draws.size();
  const long long total = static_cast<long long>(draws.num_chains()) * draws.num_draws();
  const long long enough = std::max(fewest_draws_used, static_cast<long long>(most_draws_per_unknown) * n);
  const auto stride = static_cast<Index>(std::max(1LL, total / enough));
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(n);
  double count = 0;
  for_each_chunk(draws, stride, [&](const Matrix& rows) {
    mean += rows.colwise().sum();
    count += static_cast<double>(rows.rows());
  });
  mean /= count;
  Matrix sum = Matrix::Zero(n, n);
  for_each_chunk(draws, stride,
                 [&](const Matrix& rows) { linalg::add_gram(rows.rowwise() - mean, 1 / (count - 1), sum); });
  return sum;
}

}  // namespace

std::optional<PrecisionPicture> picture_precision(const gaussian::Gaussian& gaussian, Index most) {
  const Index n = gaussian.size();
  if (const auto* sparse = dynamic_cast<const gaussian::SparseGaussian*>(&gaussian))
    return picture_sparse(*sparse, most);
  if (dynamic_cast<const gaussian::DiagonalGaussian*>(&gaussian) != nullptr) {
    Reducer reducer(n, most, PrecisionPicture::Order::natural);
    const Vector diagonal = gaussian.precision_diagonal();
    for (Index i = 0; i < n; ++i) reducer.add(i, i, diagonal[i]);
    return reducer.finish();
  }
  if (n > most_dense_unknowns) return std::nullopt;
  Matrix inverse_root = Matrix::Identity(n, n);
  gaussian.solve_root(inverse_root);
  return picture_dense(inverse_root, most);
}

std::optional<PrecisionPicture> picture_precision(const result::Draws& draws, double effective_draws, Index most) {
  const Index n = draws.size();
  const double needed = static_cast<double>(fewest_draws_per_unknown) * n;
  if (n > most_sampled_unknowns || !(effective_draws >= needed)) return std::nullopt;
  Matrix root = covariance(draws);
  if (!linalg::cholesky(root)) return std::nullopt;
  Matrix inverse_root = Matrix::Identity(n, n);
  linalg::solve_triangular(root, linalg::Transpose::no, inverse_root);
  return picture_dense(inverse_root, most);
}

}  // namespace varimesh::io
