// Functions of the C library that change files, take memory or tell the time, for a program that is attacked: the
// dynamic linker takes those of the program before the library's.
#include "faults.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <string_view>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
}

namespace varimesh::attack {
namespace {

Control* create_control() {
  void* memory =
      mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return new (memory) Control;
}

Control* shared = nullptr;

bool is_armed() { return shared != nullptr && shared->armed.load(std::memory_order_relaxed); }

/// What is to happen to this call; `written` is the file that it writes to, if it does. Writes to one file that follow
/// each other count as one call: whether the first or the tenth of them is the last makes no difference to anybody.
Fault next_fault(ino_t written = 0) {
  const bool goes_on = written != 0 && written == shared->last_written;
  shared->last_written = written;
  if (goes_on) return shared->lasting && shared->calls >= shared->at ? shared->fault : Fault::none;
  const long call = ++shared->calls;
  return call == shared->at || (shared->lasting && call > shared->at) ? shared->fault : Fault::none;
}

[[noreturn]] void die() {
  kill(0, SIGKILL);  // the whole group: a process that writes for another, too
  for (;;) pause();
}

bool fails(Fault fault, bool can_be_interrupted, bool needs_space) {
  if (fault == Fault::kill) die();
  if (fault == Fault::disk_error) errno = EIO;
  if (fault == Fault::no_space) errno = ENOSPC;
  if (fault == Fault::interrupted) errno = EINTR;
  return fault == Fault::disk_error || (fault == Fault::no_space && needs_space) ||
         (fault == Fault::interrupted && can_be_interrupted);
}

void append(std::size_t place, const void* bytes, std::size_t count) {
  if (count > 0) std::memcpy(shared->log + place, bytes, count);
}

std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

void note(Operation operation, ino_t inode, std::uint64_t offset, std::string_view path, std::string_view other = {},
          std::string_view bytes = {}) {
  if (!shared->logging) return;
  const LoggedCall call{operation, inode, offset, path.size(), other.size(), bytes.size()};
  const std::size_t needed =
      aligned(sizeof call) + aligned(path.size()) + aligned(other.size()) + aligned(bytes.size());
  std::size_t place = shared->log_bytes.fetch_add(needed);
  if (place + needed > Control::log_capacity) std::abort();
  append(place, &call, sizeof call);
  append(place += aligned(sizeof call), path.data(), path.size());
  append(place += aligned(path.size()), other.data(), other.size());
  append(place + aligned(other.size()), bytes.data(), bytes.size());
}

/// Whether it is a file or directory, not a pipe or terminal.
bool is_stored(int descriptor, ino_t& inode) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0) return false;
  inode = status.st_ino;
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

/// Whether a signal could interrupt a call of this thread: not if it blocks those that end programs.
bool gets_signals() {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, SIGINT) == 0 || sigismember(&blocked, SIGTERM) == 0;
}

/// A call other than writing: `call()` is what the system does.
template <class Call>
int guarded(bool can_be_interrupted, bool needs_space, const Call& call) {
  const Fault fault = next_fault();
  if (fails(fault, can_be_interrupted, needs_space)) return -1;
  const int result = call();
  if (fault == Fault::kill_after) die();
  return result;
}

/// Writing: `call(count)` writes so many bytes.
template <class Call>
ssize_t guarded_write(ino_t inode, std::uint64_t offset, const char* bytes, std::size_t count, const Call& call) {
  const Fault fault = next_fault(inode);
  if (fails(fault, true, true)) return -1;
  const bool half = (fault == Fault::kill_after || fault == Fault::short_write) && count > 1;
  const ssize_t written = call(half ? count / 2 : count);
  if (fault == Fault::kill_after) die();
  if (written > 0) note(Operation::write, inode, offset, {}, {}, {bytes, static_cast<std::size_t>(written)});
  return written;
}

int open_file(const char* path, int flags, mode_t mode) {
  const auto call = [&] { return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode)); };
  const bool writes = (flags & (O_CREAT | O_TRUNC)) != 0;
  if (!is_armed() || !writes) return call();
  return guarded(gets_signals(), true, [&] {
    struct stat before{};
    const bool existed = stat(path, &before) == 0;
    const int descriptor = call();
    ino_t inode = 0;
    if (descriptor >= 0 && is_stored(descriptor, inode)) {
      if (!existed) note(Operation::create, inode, 0, path);
      if (existed && (flags & O_TRUNC) != 0) note(Operation::truncate, inode, 0, path);
    }
    return descriptor;
  });
}

int truncate_file(int descriptor, off_t length) {
  const auto call = [&] { return static_cast<int>(syscall(SYS_ftruncate, descriptor, length)); };
  ino_t inode = 0;
  if (!is_armed() || !is_stored(descriptor, inode)) return call();
  // Signals do not interrupt truncating on local disks.
  return guarded(false, true, [&] {
    const int result = call();
    if (result == 0) note(Operation::truncate, inode, static_cast<std::uint64_t>(length), {});
    return result;
  });
}

int sync(int descriptor, long number, Operation operation) {
  const auto call = [&] { return static_cast<int>(syscall(number, descriptor)); };
  ino_t inode = 0;
  if (!is_armed() || !is_stored(descriptor, inode)) return call();
  return guarded(true, true, [&] {
    const int result = call();
    if (result == 0) note(operation, inode, 0, {});
    return result;
  });
}

/// Whether this allocation fails.
bool is_out_of_memory(std::size_t bytes) {
  if (!is_armed()) return false;
  const long number = ++shared->allocations;
  const long first = shared->no_memory_at;
  return first > 0 && number >= first && number < first + shared->no_memory_for && bytes >= shared->no_memory_from;
}

}  // namespace

Control& control() {
  if (shared == nullptr) shared = create_control();
  return *shared;
}

void reset_control() {
  Control& c = control();
  c.armed = false;
  c.calls = c.allocations = c.ticks = 0;
  c.last_written = 0;
  c.fault = Fault::none;
  c.at = c.no_memory_at = 0;
  c.no_memory_for = 1;
  c.no_memory_from = 0;
  c.lasting = c.logging = false;
  c.log_bytes = 0;
}

}  // namespace varimesh::attack

using namespace varimesh::attack;  // NOLINT: what follows has the C library's names

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
  const auto call = [&](std::size_t n) { return static_cast<ssize_t>(syscall(SYS_write, descriptor, bytes, n)); };
  ino_t inode = 0;
  if (!is_armed() || !is_stored(descriptor, inode)) return call(count);
  const off_t place = lseek(descriptor, 0, SEEK_CUR);
  return guarded_write(inode, static_cast<std::uint64_t>(place), static_cast<const char*>(bytes), count, call);
}
ssize_t pwrite(int descriptor, const void* bytes, std::size_t count, off_t place) {
  const auto call = [&](std::size_t n) {
    return static_cast<ssize_t>(syscall(SYS_pwrite64, descriptor, bytes, n, place));
  };
  ino_t inode = 0;
  if (!is_armed() || !is_stored(descriptor, inode)) return call(count);
  return guarded_write(inode, static_cast<std::uint64_t>(place), static_cast<const char*>(bytes), count, call);
}
ssize_t pwrite64(int descriptor, const void* bytes, std::size_t count, off64_t place) {
  return pwrite(descriptor, bytes, count, place);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  ssize_t total = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t written = write(descriptor, parts[i].iov_base, parts[i].iov_len);
    if (written < 0) return total > 0 ? total : written;
    total += written;
    if (static_cast<std::size_t>(written) < parts[i].iov_len) break;
  }
  return total;
}
int ftruncate(int descriptor, off_t length) noexcept { return truncate_file(descriptor, length); }
int ftruncate64(int descriptor, off64_t length) noexcept { return truncate_file(descriptor, length); }
int fsync(int descriptor) { return sync(descriptor, SYS_fsync, Operation::sync); }
int fdatasync(int descriptor) { return sync(descriptor, SYS_fdatasync, Operation::sync_data); }

int rename(const char* from, const char* to) noexcept {
  const auto call = [&] { return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)); };
  if (!is_armed()) return call();
  return guarded(false, true, [&] {
    const int result = call();
    if (result == 0) note(Operation::rename, 0, 0, from, to);
    return result;
  });
}
int unlink(const char* path) noexcept {
  const auto call = [&] { return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0)); };
  if (!is_armed()) return call();
  return guarded(false, false, [&] {
    const int result = call();
    if (result == 0) note(Operation::remove, 0, 0, path);
    return result;
  });
}
int rmdir(const char* path) noexcept {
  const auto call = [&] { return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR)); };
  if (!is_armed()) return call();
  return guarded(false, false, [&] {
    const int result = call();
    if (result == 0) note(Operation::remove_directory, 0, 0, path);
    return result;
  });
}
int remove(const char* path) noexcept {
  const int result = unlink(path);
  return result != 0 && errno == EISDIR ? rmdir(path) : result;
}
int mkdir(const char* path, mode_t mode) noexcept {
  const auto call = [&] { return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode)); };
  if (!is_armed()) return call();
  return guarded(false, true, [&] {
    const int result = call();
    if (result == 0) note(Operation::make_directory, 0, 0, path);
    return result;
  });
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock != CLOCK_MONOTONIC || !is_armed()) return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  constexpr long seconds_each = 2;  // so that chains are saved every few transitions
  *time = {1000 + seconds_each * ++shared->ticks, 0};
  return 0;
}

void* malloc(std::size_t size) noexcept {
  if (!is_out_of_memory(size)) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  if (!is_out_of_memory(count * size)) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* before, std::size_t size) noexcept {
  if (!is_out_of_memory(size)) return __libc_realloc(before, size);
  errno = ENOMEM;
  return nullptr;
}
}
