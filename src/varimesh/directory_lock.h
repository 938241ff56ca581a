#pragma once

#include <filesystem>

namespace varimesh {

/// Keeps other processes that lock it out of a directory while the object lives. The lock of a process that dies is
/// gone, even if its file stays.
class DirectoryLock {
 public:
  /// Makes the directory if it is not there. Throws InputError if another has the lock, or there can be none.
  explicit DirectoryLock(std::filesystem::path directory);
  /// Removes the directory again if it was made here and nothing came of it.
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  std::filesystem::path directory_, file_;  ///< what its end needs, which must not need memory
  bool made_;
  int descriptor_;
};

/// Whether a directory has nothing in it, or no more than the lock of a process that died.
bool is_unused(const std::filesystem::path& directory);

}  // namespace varimesh
