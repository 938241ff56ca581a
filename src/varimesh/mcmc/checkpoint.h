#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "varimesh/file.h"
#include "varimesh/mcmc/chain.h"
#include "varimesh/result/draw_file.h"

namespace varimesh::mcmc {

/// What a checkpoint says of a chain's draw file.
struct DrawsState {
  std::uint64_t run = 0;  ///< that they are of
  result::BlockSums sums;
};

/// A chain where it was stopped, and how many of its draws are in its draw file.
struct Checkpoint {
  ChainState state;
  Index records = 0;
  DrawsState draws;
};

/// The checkpoint file of one chain: "VMCHAIN\n", a checksum, then CBOR of the state and of all settings that must be
/// the same for the chain to go on as if it had never been stopped.
class CheckpointFile {
 public:
  /// The posterior must outlive it.
  CheckpointFile(std::filesystem::path file, const inverse::Posterior& posterior, SamplerOptions sampler,
                 std::uint64_t seed, Index chain, Index thin);
  CheckpointFile(CheckpointFile&&) noexcept;
  CheckpointFile& operator=(CheckpointFile&&) = delete;
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;
  ~CheckpointFile();

  const std::filesystem::path& file() const { return file_; }

  /// Written whole or not at all. Throws InputError if that cannot be done.
  void save(const ChainState& state, const DrawsState& draws, Durable durable = Durable::no) const;
  /// Throws InputError if the file cannot be read, is damaged, or was made with other settings.
  Checkpoint load() const;

  /// A number for the run of a chain that begins like this: other problems, settings or starts have others.
  std::uint64_t run_of(const ChainState& begin) const;
  /// How many draws are kept of so many transitions.
  Index records_after(Index iteration) const;
  /// What is in the file behind the checksum.
  std::string encode(const ChainState& state, const DrawsState& draws) const;
  Checkpoint decode(std::string_view content) const;

 private:
  struct Settings;

  std::filesystem::path file_;
  const inverse::Posterior& posterior_;
  SamplerOptions sampler_;
  Index thin_;
  std::unique_ptr<const Settings> settings_;
};

}  // namespace varimesh::mcmc
