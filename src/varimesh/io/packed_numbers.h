#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::io {

/// How a report holds many numbers: as they are, or in 16 or 8 bits between the smallest and the largest.
enum class Packing { f64, f32, q16, q8 };

/// Bytes of one packed number.
constexpr Index packed_size(Packing packing) {
  constexpr Index sizes[] = {8, 4, 2, 1};
  return sizes[static_cast<std::size_t>(packing)];
}

/// Numbers for a report ("Numbers" in docs/report-data.md): plain, or little-endian bytes in base64.
struct PackedNumbers {
  std::string_view type;      ///< f64, f32, i32, q16, q8; empty: plain
  std::vector<double> plain;  ///< NaN where there is no number
  double lo = 0, hi = 0;      ///< of q16 and q8
  std::string data;           ///< base64
};

/// So many numbers, or fewer, stay plain, for people to read.
constexpr std::size_t most_plain_numbers = 64;

/// What is not finite becomes NaN; numbers that the packing cannot hold are packed as f64.
PackedNumbers pack(std::span<const double> values, Packing packing);
PackedNumbers pack(const Vector& values, Packing packing);

/// Integers are always exact.
PackedNumbers pack_integers(std::span<const Index> values);

}  // namespace varimesh::io
