#include "varimesh/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "varimesh/directory_names.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/file_stream.h"

namespace varimesh {
namespace {

constexpr const char* lock_name = "lock";

/// Whether an open file is still the one of that name: its last owner may just have removed it.
bool is_named(int descriptor, const std::filesystem::path& file) {
  struct stat opened{}, named{};
  return fstat(descriptor, &opened) == 0 && stat(file.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

int lock(const std::filesystem::path& directory, const std::filesystem::path& file) {
  ensure_directory(directory);
  for (;;) {
    const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const bool locked = descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (locked && is_named(descriptor, file)) return descriptor;
    const int code = errno;
    if (descriptor >= 0) close(descriptor);
    if (locked || code == EINTR) continue;
    if (code == EWOULDBLOCK) throw InputError(fmt::format("another run is using {}", directory.string()));
    throw InputError(fmt::format("cannot write {}: {}", file.string(), reason(code)));
  }
}

}  // namespace

DirectoryLock::DirectoryLock(std::filesystem::path directory)
    : directory_(std::move(directory)),
      file_(directory_ / lock_name),
      made_(!file_exists(directory_)),
      descriptor_(lock(directory_, file_)) {}

DirectoryLock::~DirectoryLock() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);  // while it is held: nobody else's
  close(descriptor_);
  if (made_) std::filesystem::remove(directory_, ignored);  // unless it is not empty
}

bool is_unused(const std::filesystem::path& directory) {
  return std::ranges::all_of(directory_names(directory), [](const auto& name) { return name == lock_name; });
}

}  // namespace varimesh
