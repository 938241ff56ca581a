#include "varimesh/io/gaussian_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/gaussian/low_rank_gaussian.h"
#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/quote.h"

namespace varimesh::io {
namespace {

// A graph counts every entry twice, in an int.
constexpr std::size_t most_entries = 1 << 30;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A lower triangular matrix compressed by columns, as scipy.sparse.csc_matrix takes it: rows ascending, the diagonal
/// first.
struct LowerColumns {
  std::vector<Index> start{0}, row;

  Index size() const { return static_cast<Index>(start.size()) - 1; }
  std::span<const Index> rows(Index column) const {
    return std::span(row).subspan(static_cast<std::size_t>(start[column]),
                                  static_cast<std::size_t>(start[column + 1] - start[column]));
  }
};

/// Makes a distribution; what it complains about gets the names of the file and the group.
template <class Kind, class... Arguments>
std::shared_ptr<const gaussian::Gaussian> make(const NetcdfGroup& group, Arguments&&... arguments) {
  try {
    return std::make_shared<Kind>(std::forward<Arguments>(arguments)...);
  } catch (const InputError& error) {
    group.fail(error.what());
  }
}

void write_dense(const NetcdfGroup& group, const Matrix& factor) {
  const auto n = static_cast<std::size_t>(factor.rows());
  group.add_dimension("row", n);
  group.add_dimension("column", n);
  const NetcdfVariable variable = group.add_variable("factor", {"row", "column"});
  const std::size_t rows = variable.rows_per_block();
  for (std::size_t begin = 0; begin < n; begin += rows) {
    const std::size_t count = std::min(rows, n - begin);
    const RowMajor block = factor.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(count));
    variable.write({begin, 0}, {count, n}, {block.data(), count * n});
  }
}

Matrix read_dense(const NetcdfGroup& group, std::size_t n) {
  const NetcdfVariable variable = group.variable("factor");
  variable.expect_shape({n, n});
  Matrix factor(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  const std::size_t rows = variable.rows_per_block();
  for (std::size_t begin = 0; begin < n; begin += rows) {
    const std::size_t count = std::min(rows, n - begin);
    RowMajor block(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(n));
    variable.read({begin, 0}, {count, n}, {block.data(), count * n});
    factor.middleRows(static_cast<Eigen::Index>(begin), block.rows()) = block;
  }
  if (!factor.allFinite()) variable.fail("expected finite numbers");
  return factor;
}

/// Covariance = the prior's - sum_k excess_k / (1 + excess_k) deviation_k deviation_k', deviation = B U.
void write_low_rank(const NetcdfGroup& group, const gaussian::LowRankGaussian& gaussian, const Matrix& deviations,
                    const std::string& unknown) {
  group.add_dimension("direction", static_cast<std::size_t>(gaussian.rank()));
  group.add_variable("excess", {"direction"}).write(gaussian.excess());
  if (deviations.size() == 0) return;
  const NetcdfVariable variable = group.add_variable("deviation", {"direction", unknown});
  variable.write({0, 0}, {static_cast<std::size_t>(deviations.cols()), static_cast<std::size_t>(deviations.rows())},
                 {deviations.data(), static_cast<std::size_t>(deviations.size())});
}

void write_sparse(const NetcdfGroup& group, const gaussian::SparseGaussian& gaussian, const std::string& unknown) {
  const linalg::CliqueTree& tree = gaussian.tree();
  if (tree.num_entries() >= most_entries) group.fail("expected a factor with less than 2^30 entries");
  LowerColumns columns;
  std::vector<double> values;
  for (Index c = 0; c < tree.num_cliques(); ++c) {
    const auto clique = tree.clique(c);
    const auto block = linalg::block_of(gaussian.factor(), clique);
    for (Index j = 0; j < clique.columns; ++j) {
      columns.row.insert(columns.row.end(), clique.members.begin() + j, clique.members.end());
      values.insert(values.end(), block.col(j).begin() + j, block.col(j).end());
      columns.start.push_back(static_cast<Index>(values.size()));
    }
  }
  group.add_dimension("entry", values.size());
  group.add_dimension("column_start", columns.start.size());
  group.add_variable("order", {unknown}, NetcdfType::int32).write(tree.order());
  group.add_variable("indptr", {"column_start"}, NetcdfType::int32).write(columns.start);
  group.add_variable("indices", {"entry"}, NetcdfType::int32).write(columns.row);
  group.add_variable("values", {"entry"}).write(values);
}

LowerColumns read_columns(const NetcdfGroup& group, Index n) {
  const NetcdfVariable rows = group.variable("indices"), starts = group.variable("indptr");
  const Shape shape = rows.shape();
  if (shape.size() != 1 || shape[0] >= most_entries) rows.fail("expected one dimension of length less than 2^30");
  LowerColumns columns;
  columns.row = rows.read_indices(shape, n);
  columns.start = starts.read_indices({static_cast<std::size_t>(n) + 1}, static_cast<long long>(shape[0]) + 1);
  if (columns.start.front() != 0 || columns.start.back() != static_cast<Index>(shape[0]) ||
      !std::ranges::is_sorted(columns.start))
    starts.fail(fmt::format("expected ascending numbers from 0 to {}", shape[0]));
  for (Index j = 0; j < n; ++j) {
    const auto column = columns.rows(j);
    if (column.empty() || column.front() != j ||
        std::ranges::adjacent_find(column, std::greater_equal()) != column.end())
      rows.fail(fmt::format("expected the rows of column {} ascending from the diagonal", j));
  }
  return columns;
}

/// Whether elimination would add no entry: a column's rows below its first one beneath the diagonal, its parent, are
/// all rows of the parent's column.
bool is_closed(const LowerColumns& columns) {
  const Index n = columns.size();
  std::vector<Index> first_child(static_cast<std::size_t>(n), -1), next_sibling = first_child, seen = first_child;
  for (Index j = 0; j < n; ++j) {
    const auto rows = columns.rows(j);
    if (rows.size() > 1) next_sibling[j] = std::exchange(first_child[rows[1]], j);
  }
  for (Index parent = 0; parent < n; ++parent) {
    for (const Index i : columns.rows(parent)) seen[i] = parent;
    for (Index child = first_child[parent]; child >= 0; child = next_sibling[child]) {
      if (!std::ranges::all_of(columns.rows(child).subspan(1), [&](Index i) { return seen[i] == parent; }))
        return false;
    }
  }
  return true;
}

linalg::Ordering read_order(const NetcdfGroup& group, Index n) {
  const NetcdfVariable variable = group.variable("order");
  linalg::Ordering order = variable.read_indices({static_cast<std::size_t>(n)}, n);
  std::vector<char> seen(order.size(), 0);
  for (const Index unknown : order) {
    if (std::exchange(seen[unknown], 1))
      variable.fail(fmt::format("expected every unknown once, found {} twice", unknown));
  }
  return order;
}

std::shared_ptr<const gaussian::Gaussian> read_sparse(const NetcdfGroup& group, Vector mean) {
  const auto n = static_cast<Index>(mean.size());
  const linalg::Ordering order = read_order(group, n);
  const LowerColumns columns = read_columns(group, n);
  const Vector values = group.variable("values").read({columns.row.size()});
  // Others would be right, too, but might need far more memory than the file has bytes.
  if (!is_closed(columns)) group.variable("indices").fail("expected a pattern that elimination adds nothing to");

  std::vector<std::pair<Index, Index>> edges;
  for (Index j = 0; j < n; ++j) {
    for (const Index i : columns.rows(j).subspan(1)) edges.emplace_back(order[i], order[j]);
  }
  const auto tree =
      std::make_shared<const linalg::CliqueTree>(linalg::create_graph(n, edges), order, linalg::Amalgamation::none);
  // The tree may number the unknowns anew, but only so that ancestors in the elimination tree, such as i of j, still
  // come later: L with its rows and columns permuted is lower triangular, and a factor of the permuted Q.
  const linalg::Ordering place = linalg::inverse(tree->order());
  Vector factor = Vector::Zero(static_cast<Eigen::Index>(tree->num_entries()));
  Eigen::Index entry = 0;
  for (Index j = 0; j < n; ++j) {
    for (const Index i : columns.rows(j))
      factor[static_cast<Eigen::Index>(tree->find(place[order[i]], place[order[j]]))] = values[entry++];
  }
  return make<gaussian::SparseGaussian>(group, std::move(mean), tree, std::move(factor));
}

}  // namespace

Matrix deviations_of(const gaussian::Gaussian& gaussian) {
  constexpr double most_numbers = 2e7;  // 160 MB
  const auto* low_rank = dynamic_cast<const gaussian::LowRankGaussian*>(&gaussian);
  if (low_rank == nullptr || static_cast<double>(low_rank->size()) * low_rank->rank() > most_numbers) return {};
  Matrix deviations = low_rank->directions();
  if (deviations.size() > 0) low_rank->base().multiply_root(deviations);
  return deviations;
}

void write_gaussian(const NetcdfGroup& group, const gaussian::Gaussian& gaussian, const Matrix& deviations,
                    const std::string& unknown) {
  group.add_variable("mean", {unknown}).write(gaussian.mean());
  if (const auto* diagonal = dynamic_cast<const gaussian::DiagonalGaussian*>(&gaussian)) {
    group.set("kind", "diagonal");
    group.add_variable("sd", {unknown}).write(diagonal->sigma());
  } else if (const auto* dense = dynamic_cast<const gaussian::DenseGaussian*>(&gaussian)) {
    group.set("kind", "dense");
    write_dense(group, dense->factor());
  } else if (const auto* sparse = dynamic_cast<const gaussian::SparseGaussian*>(&gaussian)) {
    group.set("kind", "sparse");
    write_sparse(group, *sparse, unknown);
  } else if (const auto* low_rank = dynamic_cast<const gaussian::LowRankGaussian*>(&gaussian)) {
    group.set("kind", "low_rank");
    write_low_rank(group, *low_rank, deviations, unknown);
  } else {
    group.fail("expected a diagonal, dense, sparse or low-rank normal distribution");
  }
}

std::shared_ptr<const gaussian::Gaussian> read_gaussian(const NetcdfGroup& group, Index size) {
  const auto n = static_cast<std::size_t>(size);
  const std::string kind = group.text("kind").value_or("");
  Vector mean = group.variable("mean").read({n});
  if (kind == "diagonal")
    return make<gaussian::DiagonalGaussian>(group, std::move(mean), group.variable("sd").read({n}));
  if (kind == "dense") return make<gaussian::DenseGaussian>(group, std::move(mean), read_dense(group, n));
  if (kind == "sparse") return read_sparse(group, std::move(mean));
  if (kind == "low_rank") return nullptr;
  group.fail(fmt::format("expected the kind 'diagonal', 'dense', 'sparse' or 'low_rank', found {}", quote(kind)));
}

}  // namespace varimesh::io
