#include "varimesh/pending_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <set>
#include <system_error>

#include "varimesh/directory_names.h"
#include "varimesh/error.h"
#include "varimesh/file_stream.h"

namespace varimesh {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw InputError(fmt::format("cannot write {}: {}", file.string(), why));
}

/// A name beside the file that no other writer of this or another process uses.
std::filesystem::path temporary_beside(const std::filesystem::path& file) {
  static std::atomic<unsigned> counter = 0;
  return file.parent_path() / fmt::format(".{}.{}-{}.tmp", file.filename().string(), getpid(), counter++);
}

/// Zero, or the error number.
int try_to_write(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = uninterrupted([&] { return write(descriptor, bytes.data(), bytes.size()); });
    if (count <= 0) return count < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

int sync_file(int descriptor) {
  return uninterrupted([&] { return fsync(descriptor); }) == 0 ? 0 : errno;
}

/// Opens, lets `use(descriptor)` do its work, and closes: zero or an error number, as it returns.
template <class Use>
int with_file(const std::filesystem::path& file, int flags, const Use& use) {
  const int descriptor = uninterrupted([&] { return open(file.c_str(), flags | O_CLOEXEC, 0666); });
  if (descriptor < 0) return errno;
  const int code = use(descriptor);
  // Linux closes the file even where it says that it was interrupted.
  return close(descriptor) == 0 || errno == EINTR || code != 0 ? code : errno;
}

/// Makes renamings in it last, where the file system can.
void sync_directory(const std::filesystem::path& directory) {
  with_file(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY, sync_file);
}

/// The process whose temporary file has this name; zero if that cannot be told.
pid_t writer_of(std::string_view name, std::string_view file) {
  name.remove_prefix(file.size() + 2);  // ".name."
  pid_t process = 0;
  std::from_chars(name.data(), name.data() + name.size(), process);
  return process;
}

/// Removes what processes that are no more had begun to write for this file.
void remove_abandoned(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const auto directory = file.parent_path();
  std::error_code ignored;
  for (const std::string& found : directory_names(directory)) {
    if (!is_pending_name(found, name)) continue;
    const pid_t writer = writer_of(found, name);
    if (writer > 0 && kill(writer, 0) != 0 && errno == ESRCH) std::filesystem::remove(directory / found, ignored);
  }
}

}  // namespace

PendingFiles::~PendingFiles() {
  std::error_code ignored;
  for (const Pending& p : pending_) std::filesystem::remove(p.temporary, ignored);
}

const std::filesystem::path& PendingFiles::begin(const std::filesystem::path& file) {
  std::error_code ignored;
  auto target = std::filesystem::is_symlink(file, ignored) ? std::filesystem::canonical(file, ignored) : file;
  if (target.empty()) target = file;
  const auto kind = std::filesystem::status(target, ignored).type();
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular &&
      kind != std::filesystem::file_type::none)
    fail(file, "it exists and is not a regular file");
  remove_abandoned(target);
  pending_.push_back({temporary_beside(target), target});
  return pending_.back().temporary;
}

void PendingFiles::add(const std::filesystem::path& file, std::string_view bytes) {
  const int code = with_file(begin(file), O_WRONLY | O_CREAT | O_TRUNC, [&](int descriptor) {
    const int written = try_to_write(descriptor, bytes);
    return written != 0 || durable_ == Durable::no ? written : sync_file(descriptor);
  });
  if (code != 0) fail(file, reason(code));
}

void PendingFiles::add(const std::filesystem::path& file,
                       const std::function<void(const std::filesystem::path&)>& write) {
  const std::filesystem::path& temporary = begin(file);
  write(temporary);
  if (durable_ == Durable::no) return;
  if (const int code = with_file(temporary, O_RDWR, sync_file)) fail(file, reason(code));
}

void PendingFiles::commit() {
  std::set<std::filesystem::path> directories;
  for (const Pending& p : pending_) {
    if (std::rename(p.temporary.c_str(), p.target.c_str()) != 0) fail(p.target, reason(errno));
    directories.insert(p.target.parent_path());
  }
  pending_.clear();
  if (durable_ == Durable::no) return;
  for (const auto& directory : directories) sync_directory(directory);
}

bool is_pending_name(std::string_view name, std::string_view file) {
  return name.starts_with(fmt::format(".{}.", file)) && name.ends_with(".tmp");
}

}  // namespace varimesh
