#include "varimesh/io/seal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "varimesh/checksum.h"
#include "varimesh/error.h"
#include "varimesh/file_stream.h"

namespace varimesh::io {
namespace {

constexpr std::string_view mark = "varimesh";
constexpr std::size_t seal_bytes = mark.size() + sizeof(std::uint64_t);
constexpr std::size_t block_bytes = 1 << 20;

/// Of so many bytes from the start of a file.
std::uint64_t checksum_of(std::istream& stream, std::streamoff bytes) {
  std::uint64_t sum = 0;
  std::vector<char> block(block_bytes);
  stream.seekg(0);
  while (bytes > 0 && stream) {
    const std::streamoff count = std::min<std::streamoff>(bytes, block_bytes);
    stream.read(block.data(), count);
    sum = checksum(std::as_bytes(std::span(block).first(static_cast<std::size_t>(count))), sum);
    bytes -= count;
  }
  return sum;
}

}  // namespace

void append_seal(const std::filesystem::path& file) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out | std::ios::ate);
  const std::uint64_t sum = checksum_of(stream, stream.tellg());
  std::array<char, seal_bytes> end = {};
  mark.copy(end.data(), mark.size());
  std::memcpy(end.data() + mark.size(), &sum, sizeof sum);
  stream.seekp(0, std::ios::end);
  stream.write(end.data(), end.size()).flush();
  if (!stream) throw InputError(fmt::format("cannot write {}: {}", file.string(), reason(errno)));
}

bool check_seal(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;  // nor does it wait for a pipe
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  const std::streamoff left = static_cast<std::streamoff>(stream.tellg()) - static_cast<std::streamoff>(seal_bytes);
  if (left < 0) return false;
  std::array<char, seal_bytes> end = {};
  stream.seekg(left);
  stream.read(end.data(), end.size());
  if (!stream || !std::string_view(end.data(), end.size()).starts_with(mark)) return false;
  std::uint64_t expected = 0;
  std::memcpy(&expected, end.data() + mark.size(), sizeof expected);
  if (checksum_of(stream, left) != expected || !stream)
    throw InputError(fmt::format("{} is damaged: its contents do not fit its checksum", file.string()));
  return true;
}

}  // namespace varimesh::io
