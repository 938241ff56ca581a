#pragma once

#include <cholmod.h>

#include <new>

#include "varimesh/error.h"

namespace varimesh::linalg {

/// Says why CHOLMOD gave no factor.
[[noreturn]] inline void throw_cholmod_failure(int status) {
  if (status == CHOLMOD_TOO_LARGE)
    throw InputError(
        "the problem is too large for a direct solver: its Cholesky factor would have more than 2^31 entries");
  throw std::bad_alloc();
}

}  // namespace varimesh::linalg
