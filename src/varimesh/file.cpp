#include "varimesh/file.h"

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

bool write_all(const std::filesystem::path& file, std::string_view bytes) {
  Stream stream(std::fopen(file.c_str(), "wb"));
  if (!stream) return false;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream.get()) != bytes.size()) return false;
  return std::fclose(stream.release()) == 0;
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

void write_file(const std::filesystem::path& file, std::string_view bytes) {
  const auto temporary = temporary_beside(file);
  if (write_all(temporary, bytes) && std::rename(temporary.c_str(), file.c_str()) == 0) return;
  const int code = errno;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  throw InputError(fmt::format("cannot write {}: {}", file.string(), reason(code)));
}

void ensure_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError(fmt::format("cannot make the directory {}: {}", directory.string(), error.message()));
}

}  // namespace varimesh
