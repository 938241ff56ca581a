#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::result {

/// How the chain got to a kept draw.
enum class Statistic { log_posterior, log_likelihood, acceptance, energy, steps, depth, divergent };
constexpr Index num_statistics = 7;
constexpr std::string_view statistic_names[num_statistics] = {"log_posterior", "log_likelihood", "acceptance", "energy",
                                                              "steps",         "depth",          "divergent"};

/// One kept draw: kappa, then its statistics.
constexpr Index record_length(Index unknowns) { return unknowns + num_statistics; }

/// The records of one chain one after the other, in memory or mapped from a file.
class ChainDraws {
 public:
  virtual ~ChainDraws() = default;
  virtual std::span<const double> records() const = 0;
};

/// Records in memory.
class MemoryDraws final : public ChainDraws {
 public:
  MemoryDraws() = default;
  explicit MemoryDraws(std::vector<double> records) : records_(std::move(records)) {}

  std::span<const double> records() const override { return records_; }

 private:
  std::vector<double> records_;
};

/// The kept draws of several chains. They may be larger than memory: then the system pages them in from files.
class Draws {
 public:
  /// One draw a column.
  using ChainView = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

  Draws() = default;
  /// Throws InputError if a chain's records are not of this many unknowns.
  Draws(Index unknowns, std::vector<std::shared_ptr<const ChainDraws>> chains);

  Index size() const { return unknowns_; }
  Index num_chains() const { return static_cast<Index>(chains_.size()); }
  Index num_draws(Index chain) const;
  /// Of the shortest chain: interrupted chains may differ.
  Index num_draws() const;

  /// kappa, unknowns x draws.
  ChainView chain(Index c) const;
  /// The records of one chain, draws with their statistics.
  std::span<const double> records(Index c) const { return chains_[static_cast<std::size_t>(c)]->records(); }
  /// num_draws() x chains.
  Matrix statistic(Statistic statistic) const;
  /// The series of `count` unknowns from `first`, read in one pass: for each num_draws() x chains. Throws InputError if
  /// there are no such unknowns.
  std::vector<Matrix> series(Index first, Index count) const;
  /// Those of some chains.
  Draws select(const std::vector<Index>& chains) const;
  /// So many draws, evenly spaced over all chains, in columns; all if there are fewer.
  Matrix spread(Index count) const;

 private:
  Index unknowns_ = 0;
  std::vector<std::shared_ptr<const ChainDraws>> chains_;
};

}  // namespace varimesh::result
