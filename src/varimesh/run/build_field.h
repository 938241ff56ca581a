#pragma once

#include "varimesh/run/config.h"
#include "varimesh/types.h"

namespace varimesh::run {

/// A mean of kappa for each unknown; from a file, the column `kappa`, or `theta` = exp(kappa).
Vector build_mean(const FieldConfig& config, Index num_unknowns);

/// A standard deviation for each unknown; from a file, the column `sigma`.
Vector build_sigma(const FieldConfig& config, Index num_unknowns);

}  // namespace varimesh::run
