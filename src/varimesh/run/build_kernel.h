#pragma once

#include <string>
#include <vector>

#include "varimesh/inverse/gaussian_process.h"

namespace varimesh::run {

/// A kernel by its name in a problem file, with one length-scale, or one for each axis. Throws InputError for another
/// number of them.
inverse::Kernel build_kernel(const std::string& name, double sigma, const std::vector<double>& length_scale,
                             double period, int dimension);

}  // namespace varimesh::run
