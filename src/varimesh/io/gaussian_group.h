#pragma once

#include <memory>
#include <string>

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/io/netcdf.h"

namespace varimesh::io {

/// Writes a normal distribution, diagonal, dense or sparse, into a group that has the dimension of unknowns.
void write_gaussian(const NetcdfGroup& group, const gaussian::Gaussian& gaussian, const std::string& unknown);

/// Reads back a normal distribution of so many unknowns, equal to what was written.
std::shared_ptr<const gaussian::Gaussian> read_gaussian(const NetcdfGroup& group, Index size);

}  // namespace varimesh::io
