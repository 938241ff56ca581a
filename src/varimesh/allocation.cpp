#include "varimesh/allocation.h"

#include <limits>  // says which library this is

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace varimesh {

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace varimesh
