#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace varimesh::attack {

/// What happens at a call of the file system.
enum class Fault {
  none,
  kill,         ///< the process ends before the call
  kill_after,   ///< or after it; after half of what it writes
  no_space,     ///< the disk is full
  disk_error,   ///< it fails
  interrupted,  ///< a signal interrupts the call
  short_write   ///< only half is written
};

enum class Operation { create, write, truncate, rename, remove, make_directory, remove_directory, sync, sync_data };

/// One call that changed the file system. Paths and bytes follow it in the log, each aligned to 8 bytes.
struct LoggedCall {
  Operation operation;
  ino_t inode;
  std::uint64_t offset;                            ///< of writes; of truncations the length
  std::size_t path_bytes, other_bytes, num_bytes;  ///< the path, where it goes, what was written
};

/// What the functions of faults.cpp, which stand before those of the C library, do and have seen. In memory that all
/// processes share.
struct Control {
  std::atomic<bool> armed;          ///< else they do what they always do
  std::atomic<long> calls;          ///< of the file system that may change something
  std::atomic<long> allocations;    ///< of memory
  std::atomic<long> ticks;          ///< of a clock that moves when somebody looks at it
  std::atomic<ino_t> last_written;  ///< by the last call, if it wrote
  Fault fault;
  long at;                     ///< the call with the fault, counted from 1
  bool lasting;                ///< all calls after it have it, too
  long no_memory_at;           ///< the allocation that fails, counted from 1; 0: none
  long no_memory_for;          ///< and how many after it
  std::size_t no_memory_from;  ///< of those only with so many bytes or more
  bool logging;
  std::atomic<std::size_t> log_bytes;
  static constexpr std::size_t log_capacity = std::size_t{64} << 20;
  alignas(8) std::byte log[log_capacity];
};
Control& control();

/// Nothing is counted, and no fault is set.
void reset_control();

}  // namespace varimesh::attack
