#include "varimesh/linalg/blas.h"

#include <omp.h>

extern "C" void openblas_set_num_threads(int);
extern "C" int openblas_get_num_threads();

namespace varimesh::linalg {

void use_one_blas_thread() {
  // To set it takes a lock, which a child that is forked meanwhile would wait for in vain.
  if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
}

SerialOpenMp::SerialOpenMp() : saved_levels_(omp_get_max_active_levels()) { omp_set_max_active_levels(0); }
SerialOpenMp::~SerialOpenMp() { omp_set_max_active_levels(saved_levels_); }

}  // namespace varimesh::linalg
