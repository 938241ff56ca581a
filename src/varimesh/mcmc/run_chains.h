#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "varimesh/mcmc/chain.h"
#include "varimesh/result/draws.h"

namespace varimesh::mcmc {

struct ChainsResult;

struct RunOptions {
  Index chains = 4;
  Index draws = 1000;  ///< kept, of each chain
  Index thin = 1;      ///< of so many transitions the last is kept
  int threads = 1;
  std::uint64_t seed = 1;
  Matrix starts = Matrix(0, 0);  ///< one column a chain; over-dispersed draws if empty (draw_start)

  /// Draws and checkpoints go to this directory as they come; empty: draws stay in memory.
  std::filesystem::path directory = "";
  /// Between checkpoints. A killed run loses at most so much work, and none of what went before.
  double checkpoint_seconds = 10;
  /// Goes on from the checkpoints in the directory, to the same draws as a run that was never stopped; there may be
  /// more draws and more chains than then. Without it a directory that holds chains is refused.
  bool resume = false;
  /// Given, the run may end early: after 250 draws of every chain, and again and again after a quarter more, at least
  /// 250, it is asked whether these are enough.
  std::function<bool(const ChainsResult& so_far)> enough = nullptr;
};

enum class RunStatus { completed, interrupted };

/// What one chain did.
struct ChainSummary {
  std::vector<result::WarmupPoint> warmup;  ///< every transition of it
  std::vector<result::ScaleUpdate> scales;  ///< the last was used for all kept draws
  double step = 0;                          ///< used for all kept draws
  double acceptance = 0;                    ///< mean, after the warm-up as the rest; NaN if it did not get there
  Index divergences = 0;
  double e_bfmi = 0;      ///< NaN for kernels without momenta
  result::Counts counts;  ///< warm-up included
};

struct ChainsResult {
  result::Draws draws;
  std::vector<ChainSummary> chains;
  RunStatus status = RunStatus::interrupted;
  std::string message;    ///< in a sentence
  result::Counts counts;  ///< of all chains, warm-up included
  std::vector<std::pair<std::string, double>>
      seconds;  ///< by phase: "warm-up" and "draws", of all chains and runs; "total" of this run by the clock
};

/// Several chains in parallel. Draws depend on the seed, not on threads, interruptions or checkpoints. Throws
/// InputError for options that make no sense and for a directory that cannot be used. An exception of one chain stops
/// them all; they can be resumed from their last checkpoints.
ChainsResult run_chains(const inverse::Posterior& posterior, const SamplerOptions& sampler, const RunOptions& options,
                        const result::ChainObserver& observer = {});

}  // namespace varimesh::mcmc
