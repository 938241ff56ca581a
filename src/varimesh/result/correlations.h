#pragma once

#include "varimesh/types.h"

namespace varimesh::result {

/// Correlations of the rows of a matrix with a draw in each column; draws with anything that is not finite are left
/// out.
Matrix correlations(const Matrix& draws);

}  // namespace varimesh::result
