#include "varimesh/result/draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "varimesh/error.h"

namespace varimesh::result {

Draws::Draws(Index unknowns, std::vector<std::shared_ptr<const ChainDraws>> chains)
    : unknowns_(unknowns), chains_(std::move(chains)) {
  if (unknowns < 1) throw InputError(fmt::format("expected draws of 1 or more unknowns, found {}", unknowns));
  const std::size_t length = static_cast<std::size_t>(unknowns) + num_statistics;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::size_t found = chains_[c]->records().size();
    if (found % length != 0)
      throw InputError(
          fmt::format("expected records of {} numbers in chain {}, found {} numbers in all", length, c, found));
    if (found / length > std::numeric_limits<Index>::max())
      throw InputError(fmt::format("chain {} has too many draws: {}", c, found / length));
  }
}

Index Draws::num_draws(Index chain) const {
  return static_cast<Index>(chains_[chain]->records().size() / static_cast<std::size_t>(record_length(unknowns_)));
}

Index Draws::num_draws() const {
  if (chains_.empty()) return 0;
  Index fewest = std::numeric_limits<Index>::max();
  for (Index c = 0; c < num_chains(); ++c) fewest = std::min(fewest, num_draws(c));
  return fewest;
}

Draws Draws::select(const std::vector<Index>& chains) const {
  std::vector<std::shared_ptr<const ChainDraws>> selected;
  for (const Index c : chains) selected.push_back(chains_[c]);
  return {unknowns_, std::move(selected)};
}

Draws::ChainView Draws::chain(Index c) const {
  return {chains_[c]->records().data(), unknowns_, num_draws(c), Eigen::OuterStride<>(record_length(unknowns_))};
}

Matrix Draws::statistic(Statistic statistic) const {
  const Index draws = num_draws(), length = record_length(unknowns_);
  Matrix values(draws, num_chains());
  for (Index c = 0; c < num_chains(); ++c) {
    const double* records = chains_[c]->records().data();  // null without draws
    for (Eigen::Index d = 0; d < draws; ++d)
      values(d, c) = records[d * length + unknowns_ + static_cast<Index>(statistic)];
  }
  return values;
}

std::vector<Matrix> Draws::series(Index first, Index count) const {
  if (first < 0 || count < 0 || count > unknowns_ - first)
    throw InputError(fmt::format("expected unknowns from 0 to {}, found {} from {}", unknowns_ - 1, count, first));
  const Index draws = num_draws();
  std::vector<Matrix> values(count, Matrix(draws, num_chains()));
  // A block of draws stays in the cache while it is transposed.
  constexpr Eigen::Index block = 64;
  for (Index c = 0; c < num_chains(); ++c) {
    const ChainView kappa = chain(c);
    for (Eigen::Index begin = 0; begin < draws; begin += block) {
      const Eigen::Index length = std::min(block, draws - begin);
      for (Index i = 0; i < count; ++i)
        values[i].col(c).segment(begin, length) = kappa.row(first + i).segment(begin, length).transpose();
    }
  }
  return values;
}

Matrix Draws::spread(Index count) const {
  long long total = 0;
  for (Index c = 0; c < num_chains(); ++c) total += num_draws(c);
  const long long columns = std::clamp<long long>(count, 0, total);
  Matrix chosen(unknowns_, columns);
  long long before = 0;  // draws of the chains before c
  Index c = 0;
  for (long long k = 0; k < columns; ++k) {
    const long long draw = (2 * k + 1) * total / (2 * columns);  // the middle of the k-th of so many equal stretches
    while (draw - before >= num_draws(c)) before += num_draws(c++);
    chosen.col(k) = chain(c).col(draw - before);
  }
  return chosen;
}

}  // namespace varimesh::result
