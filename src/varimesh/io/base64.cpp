#include "varimesh/io/base64.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace varimesh::io {

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  std::size_t place = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < count; ++k) bits |= std::to_integer<std::uint32_t>(bytes[i + k]) << (16 - 8 * k);
    for (std::size_t k = 0; k <= count; ++k) text[place + k] = alphabet[(bits >> (18 - 6 * k)) & 63];
    place += 4;
  }
  return text;
}

}  // namespace varimesh::io
