#include "varimesh/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "varimesh/error.h"

namespace varimesh {
namespace {

struct Closer {
  void operator()(std::FILE* stream) const { std::fclose(stream); }
};
using Stream = std::unique_ptr<std::FILE, Closer>;

std::string reason(int code) { return std::generic_category().message(code); }

/// A name beside the file that no other writer of this or another process uses.
std::filesystem::path temporary_beside(const std::filesystem::path& file) {
  static std::atomic<unsigned> counter = 0;
  return file.parent_path() / fmt::format(".{}.{}-{}.tmp", file.filename().string(), getpid(), counter++);
}

/// Zero, or the error number.
int write_all(const std::filesystem::path& file, std::string_view bytes, Durable durable) {
  Stream stream(std::fopen(file.c_str(), "wb"));
  if (!stream) return errno;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream.get()) != bytes.size()) return errno;
  if (durable == Durable::yes && (std::fflush(stream.get()) != 0 || fsync(fileno(stream.get())) != 0)) return errno;
  return std::fclose(stream.release()) == 0 ? 0 : errno;
}

/// Makes a renaming in it last, where the file system can.
void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

std::string read_file(const std::filesystem::path& file, std::uintmax_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw InputError(fmt::format("{} is a directory, expected a file", file.string()));
  const Stream stream(std::fopen(file.c_str(), "rb"));
  if (!stream) throw InputError(fmt::format("cannot read {}: {}", file.string(), reason(errno)));

  const auto too_large = [&] {
    return InputError(fmt::format("{} is larger than the {} bytes allowed", file.string(), max_bytes));
  };
  std::string bytes;
  const auto size = std::filesystem::file_size(file, ignored);
  if (!ignored) {
    if (size > max_bytes) throw too_large();
    bytes.reserve(size);
  }
  // What was promised may have changed, and pipes promise nothing: the bytes that arrive are counted, too.
  char chunk[1 << 16];
  while (const std::size_t count = std::fread(chunk, 1, sizeof chunk, stream.get())) {
    if (count > max_bytes - bytes.size()) throw too_large();
    bytes.append(chunk, count);
  }
  if (std::ferror(stream.get())) throw InputError(fmt::format("cannot read {}: {}", file.string(), reason(errno)));
  return bytes;
}

namespace {

/// A file to be, whose bytes are somebody else's.
struct FileView {
  std::filesystem::path file;
  std::string_view bytes;
};

void write_all_or_none(const std::vector<FileView>& files, Durable durable) {
  struct Pending {
    std::filesystem::path temporary, target;
  };
  std::vector<Pending> pending;
  const auto fail = [&](const std::filesystem::path& file, const std::string& why) {
    std::error_code ignored;
    for (const Pending& p : pending) std::filesystem::remove(p.temporary, ignored);
    throw InputError(fmt::format("cannot write {}: {}", file.string(), why));
  };
  for (const auto& [file, bytes] : files) {
    std::error_code ignored;
    auto target = std::filesystem::is_symlink(file, ignored) ? std::filesystem::canonical(file, ignored) : file;
    if (target.empty()) target = file;
    const auto kind = std::filesystem::status(target, ignored).type();
    if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular &&
        kind != std::filesystem::file_type::none)
      fail(file, "it exists and is not a regular file");
    pending.push_back({temporary_beside(target), target});
    if (const int code = write_all(pending.back().temporary, bytes, durable)) fail(file, reason(code));
  }
  for (const Pending& p : pending) {
    if (std::rename(p.temporary.c_str(), p.target.c_str()) != 0) fail(p.target, reason(errno));
    if (durable == Durable::yes) sync_directory(p.target.parent_path());
  }
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view bytes, Durable durable) {
  write_all_or_none({{file, bytes}}, durable);
}

void write_files(const std::vector<FileContent>& files, Durable durable) {
  std::vector<FileView> views;
  for (const FileContent& file : files) views.push_back({file.file, file.bytes});
  write_all_or_none(views, durable);
}

bool file_exists(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

void ensure_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError(fmt::format("cannot make the directory {}: {}", directory.string(), error.message()));
}

}  // namespace varimesh
