#include "varimesh/linalg/blas.h"

#include <omp.h>

extern "C" void openblas_set_num_threads(int);

namespace varimesh::linalg {

void use_one_blas_thread() { openblas_set_num_threads(1); }

SerialOpenMp::SerialOpenMp() : saved_levels_(omp_get_max_active_levels()) { omp_set_max_active_levels(0); }
SerialOpenMp::~SerialOpenMp() { omp_set_max_active_levels(saved_levels_); }

}  // namespace varimesh::linalg
