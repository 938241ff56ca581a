#pragma once

#include <memory>
#include <string>

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/io/netcdf.h"

namespace varimesh::io {

/// What is written of a distribution of low rank beside its own numbers, B U (unknowns x directions); empty for others,
/// and where that would be too much.
Matrix deviations_of(const gaussian::Gaussian& gaussian);

/// Writes a normal distribution, diagonal, dense, sparse or of low rank, into a group that has the dimension of
/// unknowns.
void write_gaussian(const NetcdfGroup& group, const gaussian::Gaussian& gaussian, const Matrix& deviations,
                    const std::string& unknown);

/// Reads back a normal distribution of so many unknowns, equal to what was written. Null for one of low rank: the prior
/// that it is relative to is not in the file.
std::shared_ptr<const gaussian::Gaussian> read_gaussian(const NetcdfGroup& group, Index size);

}  // namespace varimesh::io
