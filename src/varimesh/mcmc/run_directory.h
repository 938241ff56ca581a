#pragma once

#include <filesystem>

#include "varimesh/result/draw_file.h"
#include "varimesh/types.h"

namespace varimesh::mcmc {

/// The directory of a run, with a draw file and a checkpoint for each chain that has begun. It is locked while the
/// object lives; the lock of a process that dies is gone.
class RunDirectory {
 public:
  /// Throws InputError if it cannot be used, is in use, holds chains that are not to be resumed, or none that could be.
  RunDirectory(std::filesystem::path directory, bool resume);

  std::filesystem::path draws(Index chain) const;
  std::filesystem::path checkpoint(Index chain) const;

 private:
  std::filesystem::path directory_;
  result::Descriptor lock_;
};

}  // namespace varimesh::mcmc
