#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace varimesh {

/// A number that differs, almost always, if bytes differ: it finds damage and mix-ups, not malice.
inline std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  std::uint64_t sum = seed ^ (bytes.size() * odd);
  const auto mix = [&](std::uint64_t word) {
    sum = (sum ^ word) * odd;
    sum ^= sum >> 32;
  };
  std::uint64_t word = 0;
  for (; bytes.size() >= sizeof word; bytes = bytes.subspan(sizeof word)) {
    std::memcpy(&word, bytes.data(), sizeof word);
    mix(word);
  }
  word = 0;
  for (const std::byte byte : bytes) word = word << 8 | static_cast<std::uint64_t>(byte);
  mix(word);
  return sum;
}

}  // namespace varimesh
