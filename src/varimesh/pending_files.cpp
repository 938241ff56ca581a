#include "varimesh/pending_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <set>
#include <system_error>

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
int write_all(const std::filesystem::path& file, std::string_view bytes, Durable durable) {
  FileStream stream(std::fopen(file.c_str(), "wb"));
  if (!stream) return errno;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream.get()) != bytes.size()) return errno;
  if (durable == Durable::yes && (std::fflush(stream.get()) != 0 || fsync(fileno(stream.get())) != 0)) return errno;
  return std::fclose(stream.release()) == 0 ? 0 : errno;
}

/// Makes renamings in it last, where the file system can.
void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

PendingFiles::~PendingFiles() {
  std::error_code ignored;
  for (const Pending& p : pending_) std::filesystem::remove(p.temporary, ignored);
}

void PendingFiles::add(const std::filesystem::path& file, std::string_view bytes) {
  std::error_code ignored;
  auto target = std::filesystem::is_symlink(file, ignored) ? std::filesystem::canonical(file, ignored) : file;
  if (target.empty()) target = file;
  const auto kind = std::filesystem::status(target, ignored).type();
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular &&
      kind != std::filesystem::file_type::none)
    fail(file, "it exists and is not a regular file");
  pending_.push_back({temporary_beside(target), target});
  if (const int code = write_all(pending_.back().temporary, bytes, durable_)) fail(file, reason(code));
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
