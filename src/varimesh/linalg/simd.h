#pragma once

#include <cstdint>

#include "varimesh/simd_clones.h"

namespace varimesh::linalg {

/// Eight doubles that the compiler maps to whatever vector registers the target has (GCC and clang vector extension).
using Pack = double __attribute__((vector_size(64), may_alias));
struct [[gnu::packed, gnu::may_alias]] UnalignedPack {
  Pack value;
};
inline constexpr int pack_size = 8;

// Inlined always: a pack has no stable calling convention across vector extensions.
[[gnu::always_inline]] inline Pack load_aligned(const double* p) { return *reinterpret_cast<const Pack*>(p); }
[[gnu::always_inline]] inline void store_aligned(double* p, Pack value) { *reinterpret_cast<Pack*>(p) = value; }
[[gnu::always_inline]] inline Pack load(const double* p) { return reinterpret_cast<const UnalignedPack*>(p)->value; }
[[gnu::always_inline]] inline void store(double* p, Pack value) { reinterpret_cast<UnalignedPack*>(p)->value = value; }
[[gnu::always_inline]] inline double sum_of(Pack p) {
  return ((p[0] + p[4]) + (p[1] + p[5])) + ((p[2] + p[6]) + (p[3] + p[7]));
}

/// The first address at or behind p that a pack may be loaded from.
inline double* align(double* p) {
  return reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(p) + sizeof(Pack) - 1) / sizeof(Pack) *
                                   sizeof(Pack));
}

}  // namespace varimesh::linalg
