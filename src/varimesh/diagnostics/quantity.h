#pragma once

#include <functional>
#include <vector>

#include "varimesh/result/draws.h"
#include "varimesh/types.h"

namespace varimesh::diagnostics {

/// A number that follows from kappa: a flux, the solution at a point. Called from many threads at once.
using Quantity = std::function<double(const Vector&)>;

/// `count` of `available` draws, at even distances, the last one included; all if there are not more.
std::vector<Index> evenly_spaced(Index available, Index count);

/// The quantity at draws in columns, in their order. Throws InputError if there are none.
Vector evaluate_quantity(const Matrix& draws, const Quantity& quantity, int threads);

/// The quantity at so many draws of each chain, evenly spaced: draws x chains, as chain diagnostics want it. Throws
/// InputError if there are none.
Matrix evaluate_quantity(const result::Draws& draws, Index draws_per_chain, const Quantity& quantity, int threads);

}  // namespace varimesh::diagnostics
