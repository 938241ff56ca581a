#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "varimesh/file.h"
#include "varimesh/mcmc/checkpoint.h"
#include "varimesh/result/draw_file.h"
#include "varimesh/types.h"

namespace varimesh::mcmc {

/// Where the draws and checkpoints of one chain go.
class ChainStore {
 public:
  virtual ~ChainStore() = default;

  /// The chain where an earlier run left it; none if it has not begun. Throws InputError if it cannot be had.
  virtual std::optional<Checkpoint> load() = 0;
  /// Before the first draw of this run.
  virtual void open(const ChainState& state) = 0;
  virtual void append(std::span<const double> record) = 0;
  /// The chain could go on from here.
  virtual void save(const ChainState& state) = 0;
  /// All draws up to the last save, of this run and those before it; `last`: no more will follow.
  virtual std::shared_ptr<const result::ChainDraws> draws(bool last) = 0;
};

/// Draws stay in memory, with space for this many numbers; there are no checkpoints.
std::unique_ptr<ChainStore> create_memory_store(std::size_t numbers);

/// Draws and checkpoints go to files; the run of the source is found when the chain begins, or in its checkpoint.
std::unique_ptr<ChainStore> create_file_store(std::filesystem::path draws, CheckpointFile checkpoint,
                                              const result::DrawSource& source, Durable durable);

}  // namespace varimesh::mcmc
