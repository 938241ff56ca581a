#include "varimesh/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "varimesh/error.h"
#include "varimesh/file_stream.h"
#include "varimesh/pending_files.h"

namespace varimesh {
std::string read_file(const std::filesystem::path& file, std::uintmax_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw InputError(fmt::format("{} is a directory, expected a file", file.string()));
  const FileStream stream(std::fopen(file.c_str(), "rb"));
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
