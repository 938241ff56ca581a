#include "varimesh/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <span>
#include <system_error>

#include "varimesh/available_memory.h"
#include "varimesh/error.h"
#include "varimesh/file_stream.h"
#include "varimesh/pending_files.h"

namespace varimesh {
namespace {

[[noreturn]] void fail_to_read(const std::filesystem::path& file) {
  throw InputError(fmt::format("cannot read {}: {}", file.string(), reason(errno)));
}

/// Whether a name is that of a file which this process has been given open: to read it cannot wait for somebody to
/// write.
bool is_open_already(const std::filesystem::path& file) {
  return file == "/dev/stdin" || file.parent_path() == "/dev/fd" || file.parent_path() == "/proc/self/fd";
}

/// An open file that can be read to its end.
class ReadableFile {
 public:
  explicit ReadableFile(const std::filesystem::path& file) : file_(file) {
    struct stat status{};
    if (stat(file.c_str(), &status) != 0) fail_to_read(file);
    if (S_ISDIR(status.st_mode)) throw InputError(fmt::format("{} is a directory, expected a file", file.string()));
    const bool piped = S_ISFIFO(status.st_mode) && is_open_already(file);
    // It may be another by now, so that opening must not wait for what is at the other end of a pipe.
    descriptor_ = open(file.c_str(), O_RDONLY | O_CLOEXEC | (piped ? 0 : O_NONBLOCK));
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) fail_to_read(file);
    is_regular_ = S_ISREG(status.st_mode);
    if (!is_regular_ && !(piped && S_ISFIFO(status.st_mode))) {
      close(descriptor_);
      throw InputError(fmt::format("{} is a pipe or device, expected a file", file.string()));
    }
    size_ = static_cast<std::uintmax_t>(status.st_size);
  }
  ~ReadableFile() { close(descriptor_); }
  ReadableFile(const ReadableFile&) = delete;
  ReadableFile& operator=(const ReadableFile&) = delete;

  /// None of a pipe.
  std::optional<std::uintmax_t> size() const { return is_regular_ ? std::optional(size_) : std::nullopt; }
  /// How many bytes came; none at the end.
  std::size_t read(std::span<char> chunk) const {
    for (;;) {
      const ssize_t count = ::read(descriptor_, chunk.data(), chunk.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail_to_read(file_);
    }
  }

 private:
  const std::filesystem::path& file_;
  int descriptor_ = -1;
  bool is_regular_ = false;
  std::uintmax_t size_ = 0;
};

}  // namespace

std::string read_file(const std::filesystem::path& file, std::uintmax_t max_bytes) {
  const ReadableFile input(file);
  // What is read is made into something at least as large.
  const double most_in_memory = available_bytes() / 2;
  const auto require_size = [&](std::uintmax_t bytes) {
    if (bytes > max_bytes)
      throw InputError(fmt::format("{} is larger than the {} bytes allowed", file.string(), max_bytes));
    if (static_cast<double>(bytes) > most_in_memory)
      throw InputError(fmt::format("{} is larger than what memory holds: {:.1f} GB are available", file.string(),
                                   2e-9 * most_in_memory));
  };
  std::string bytes;
  if (const auto size = input.size()) {
    require_size(*size);
    bytes.reserve(*size);
  }
  // What was promised may have changed, and pipes promise nothing: the bytes that arrive are counted, too.
  std::vector<char> chunk(1 << 16);
  while (const std::size_t count = input.read(chunk)) {
    require_size(bytes.size() + count);
    bytes.append(chunk.data(), count);
  }
  return bytes;
}

void write_file(const std::filesystem::path& file, std::string_view bytes, Durable durable) {
  PendingFiles pending(durable);
  pending.add(file, bytes);
  pending.commit();
}

void write_files(const std::vector<FileContent>& files, Durable durable) {
  PendingFiles pending(durable);
  for (const FileContent& file : files) pending.add(file.file, file.bytes);
  pending.commit();
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
