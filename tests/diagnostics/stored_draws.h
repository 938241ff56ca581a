#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "varimesh/random.h"
#include "varimesh/result/draws.h"
#include "varimesh/types.h"

namespace varimesh::diagnostics::test {

/// A chain in memory.
class StoredChain final : public result::ChainDraws {
 public:
  explicit StoredChain(Matrix records) : records_(std::move(records)) {}
  std::span<const double> records() const override {
    return {records_.data(), static_cast<std::size_t>(records_.size())};
  }

 private:
  Matrix records_;
};

/// Draws of chains, each unknowns x draws, with statistics that are zero but for the energies, draws x chains, and the
/// divergences, which are where they are told.
inline result::Draws store(const std::vector<Matrix>& chains, const Matrix& energies = {},
                           const std::vector<std::pair<Index, Index>>& divergent = {}) {
  const auto unknowns = static_cast<Index>(chains.front().rows());
  std::vector<std::shared_ptr<const result::ChainDraws>> stored;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    Matrix records = Matrix::Zero(result::record_length(unknowns), chains[c].cols());
    records.topRows(unknowns) = chains[c];
    const auto row = [&](result::Statistic statistic) { return records.row(unknowns + static_cast<Index>(statistic)); };
    row(result::Statistic::energy).setConstant(std::nan(""));
    if (energies.size() > 0) row(result::Statistic::energy) = energies.col(static_cast<Eigen::Index>(c)).transpose();
    for (const auto& [chain, draw] : divergent) {
      if (chain == static_cast<Index>(c)) row(result::Statistic::divergent)[draw] = 1;
    }
    stored.push_back(std::make_shared<StoredChain>(std::move(records)));
  }
  return {unknowns, std::move(stored)};
}

/// Chains of AR(1) processes with lag-one correlation phi around the mean, each unknown of unit sd times its scale.
inline std::vector<Matrix> autoregressive_chains(Index chains, Index draws, const Vector& mean, const Vector& scale,
                                                 double phi, std::uint64_t seed) {
  std::vector<Matrix> result;
  for (Index c = 0; c < chains; ++c) {
    Random random(seed, static_cast<std::uint64_t>(c));
    Matrix chain(mean.size(), draws);
    Vector state = random.normal_vector(static_cast<Index>(mean.size()));
    for (Index s = 0; s < draws; ++s) {
      chain.col(s) = mean + scale.cwiseProduct(state);
      state = phi * state + std::sqrt(1 - phi * phi) * random.normal_vector(static_cast<Index>(mean.size()));
    }
    result.push_back(std::move(chain));
  }
  return result;
}

/// Independent standard normal draws, rows x columns.
inline Matrix normal_matrix(Index rows, Index columns, std::uint64_t seed) {
  return Random(seed).normal_vector(rows * columns).reshaped(rows, columns);
}

}  // namespace varimesh::diagnostics::test
