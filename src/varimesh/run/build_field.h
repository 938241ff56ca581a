#pragma once

#include "varimesh/run/build.h"
#include "varimesh/run/config.h"
#include "varimesh/types.h"

namespace varimesh::run {

/// The function of position that a file has.
ScalarFunction build_file_function(const FileFunctionConfig& config, const Origin& origin, int dimension);

/// A mean of kappa for each unknown; from a file with a row for each, the column `kappa`, or `theta` = exp(kappa); from
/// one with a function of position, its values where the unknowns are.
Vector build_mean(const FieldConfig& config, const Equation& equation);

/// A standard deviation for each unknown; from a file with a row for each, the column `sigma`, or `sd` of a result.
Vector build_sigma(const FieldConfig& config, const Equation& equation);

}  // namespace varimesh::run
