#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

namespace varimesh::test {

/// The bytes of a base64 text.
inline std::vector<unsigned char> decode_base64(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char digits[256] = {};
  for (std::size_t k = 0; k < alphabet.size(); ++k)
    digits[static_cast<unsigned char>(alphabet[k])] = static_cast<unsigned char>(k);
  std::vector<unsigned char> bytes;
  bytes.reserve(3 * text.size() / 4);
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    buffer = (buffer << 6) | digits[static_cast<unsigned char>(c)];
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<unsigned char>(buffer >> bits));
  }
  return bytes;
}

template <class T, class Convert>
std::vector<double> convert_bytes(const std::vector<unsigned char>& bytes, const Convert& convert) {
  std::vector<double> values;
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    values.push_back(convert(value));
  }
  return values;
}

/// What the report page makes of packed numbers.
inline std::vector<double> unpack(std::string_view type, std::string_view data, double lo, double hi) {
  const auto bytes = decode_base64(data);
  const auto number = [](auto value) { return static_cast<double>(value); };
  const auto step = [&](auto value) {
    constexpr auto missing = std::numeric_limits<decltype(value)>::max();
    return value == missing ? std::numeric_limits<double>::quiet_NaN() : lo + value * ((hi - lo) / (missing - 1));
  };
  if (type == "f64") return convert_bytes<double>(bytes, number);
  if (type == "f32") return convert_bytes<float>(bytes, number);
  if (type == "i32") return convert_bytes<std::int32_t>(bytes, number);
  if (type == "q16") return convert_bytes<std::uint16_t>(bytes, step);
  return convert_bytes<std::uint8_t>(bytes, step);
}

}  // namespace varimesh::test
