#include "varimesh/allocation.h"

#include <cstddef>
#include <limits>  // says which library this is
#include <memory>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace varimesh {

namespace {

std::unique_ptr<char[]>& reserve() {
  static std::unique_ptr<char[]> memory;
  return memory;
}

void give_back_reserve() {
  std::set_new_handler(nullptr);  // the next time there is nothing to give back
  reserve().reset();
}

}  // namespace

void keep_reserve() {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  reserve() = std::make_unique<char[]>(bytes);
  std::set_new_handler(give_back_reserve);
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace varimesh
