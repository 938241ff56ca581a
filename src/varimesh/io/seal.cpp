#include "varimesh/io/seal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <vector>

#include "varimesh/checksum.h"
#include "varimesh/error.h"

namespace varimesh::io {
namespace {

constexpr std::string_view mark = "varimesh";
constexpr std::size_t seal_bytes = mark.size() + sizeof(std::uint64_t);
constexpr std::size_t block_bytes = 1 << 20;

std::uint64_t checksum_of(std::string_view block, std::uint64_t before) {
  return checksum(std::as_bytes(std::span(block)), before);
}

}  // namespace

std::string seal(std::string_view bytes) {
  std::uint64_t sum = 0;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(block_bytes, bytes.size())))
    sum = checksum_of(bytes.substr(0, block_bytes), sum);
  std::string text(mark);
  text.resize(seal_bytes);
  std::memcpy(text.data() + mark.size(), &sum, sizeof sum);
  return text;
}

void check_seal(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  std::streamoff left = static_cast<std::streamoff>(stream.tellg()) - static_cast<std::streamoff>(seal_bytes);
  if (left < 0) return;
  std::array<char, seal_bytes> end = {};
  stream.seekg(left);
  stream.read(end.data(), end.size());
  if (!stream || !std::string_view(end.data(), end.size()).starts_with(mark)) return;
  std::uint64_t expected = 0, sum = 0;
  std::memcpy(&expected, end.data() + mark.size(), sizeof expected);

  stream.seekg(0);
  std::vector<char> block(block_bytes);
  while (left > 0 && stream) {
    const std::streamoff count = std::min<std::streamoff>(left, block_bytes);
    stream.read(block.data(), count);
    sum = checksum_of({block.data(), static_cast<std::size_t>(count)}, sum);
    left -= count;
  }
  if (!stream || sum != expected)
    throw InputError(fmt::format("{} is damaged: its contents do not fit its checksum", file.string()));
}

}  // namespace varimesh::io
