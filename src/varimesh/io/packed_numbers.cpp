#include "varimesh/io/packed_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "varimesh/io/base64.h"

namespace varimesh::io {
namespace {

/// base64 of the values' bytes.
template <class T>
std::string encode(const std::vector<T>& values) {
  static_assert(std::endian::native == std::endian::little);
  return base64(std::as_bytes(std::span(values)));
}

template <class T>
std::string encode_floats(std::span<const double> values) {
  std::vector<T> converted(values.size());
  std::ranges::transform(values, converted.begin(), [](double value) {
    return std::isfinite(value) ? static_cast<T>(value) : std::numeric_limits<T>::quiet_NaN();
  });
  return encode(converted);
}

/// All bits set stand for NaN.
template <class T>
std::string encode_steps(std::span<const double> values, double lo, double hi) {
  constexpr T missing = std::numeric_limits<T>::max();
  const double scale = hi > lo ? (missing - 1) / (hi - lo) : 0;
  std::vector<T> steps(values.size());
  std::ranges::transform(values, steps.begin(), [&](double value) {
    return std::isfinite(value) ? static_cast<T>(std::lround((value - lo) * scale)) : missing;
  });
  return encode(steps);
}

}  // namespace

PackedNumbers pack(std::span<const double> values, Packing packing) {
  if (values.size() <= most_plain_numbers) return {"", {values.begin(), values.end()}, 0, 0, ""};
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
  if (lo > hi) lo = hi = 0;
  constexpr double largest_float = std::numeric_limits<float>::max();
  // Steps are read as floats.
  if (lo < -largest_float / 2 || hi > largest_float / 2) packing = Packing::f64;
  switch (packing) {
    case Packing::f32:
      return {"f32", {}, 0, 0, encode_floats<float>(values)};
    case Packing::q16:
      return {"q16", {}, lo, hi, encode_steps<std::uint16_t>(values, lo, hi)};
    case Packing::q8:
      return {"q8", {}, lo, hi, encode_steps<std::uint8_t>(values, lo, hi)};
    case Packing::f64:
      break;
  }
  return {"f64", {}, 0, 0, encode_floats<double>(values)};
}

PackedNumbers pack(const Vector& values, Packing packing) {
  return pack(std::span(values.data(), static_cast<std::size_t>(values.size())), packing);
}

PackedNumbers pack_integers(std::span<const Index> values) {
  if (values.size() <= most_plain_numbers) return {"", {values.begin(), values.end()}, 0, 0, ""};
  return {"i32", {}, 0, 0, encode(std::vector<std::int32_t>(values.begin(), values.end()))};
}

}  // namespace varimesh::io
