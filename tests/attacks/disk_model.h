#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "faults.h"

namespace varimesh::attack {

/// A call of the log, with what it refers to.
struct DiskCall {
  Operation operation;
  ino_t inode;
  std::uint64_t offset;
  std::string path, other, bytes;
};
/// All calls that control() has logged.
std::vector<DiskCall> read_log();

/// What has become of data that were written, but not forced to the disk, when the power went.
enum class Unsynced {
  kept,   ///< they are there
  lost,   ///< files end where they were last forced to the disk: often with length zero
  zeroed  ///< files have their length, with zeros
};

/// What may be on a disk with a journal after a loss of power: names are as after some of the calls, at least those
/// before the last one that waited for the disk; data are as last forced to it, and what came later may be there or
/// not.
class Disk {
 public:
  explicit Disk(std::vector<DiskCall> calls);

  std::size_t num_calls() const { return calls_.size(); }
  /// How many of the first `end` calls have certainly been done to names.
  std::size_t certain(std::size_t end) const;
  /// Files by their paths and directories, which have none, when the power goes after `end` calls, of which the first
  /// `names` have been done to names.
  std::map<std::string, std::string> state(std::size_t end, std::size_t names, Unsynced unsynced) const;

 private:
  std::string content(ino_t inode, std::size_t end, Unsynced unsynced) const;

  std::vector<DiskCall> calls_;
};

/// What stands for a directory among files.
inline const std::string directory_mark = "a directory";

}  // namespace varimesh::attack
