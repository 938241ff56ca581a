#pragma once

#include "varimesh/fem/observable.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/run/build.h"

namespace varimesh::run {

/// What a quantity or measurement sees of an equation's solutions, if that is no extreme.
fem::Observable build_observable(const QuantityConfig& config, const Equation& equation);

/// A quantity of an equation.
Quantity build_quantity(const QuantityConfig& config, const Equation& equation);

/// A point with as many coordinates as the mesh has dimensions.
Point build_point(const std::vector<double>& coordinates, int dimension);

/// Where an observable is: its point, or the middle of its region or boundary part.
Point position(const QuantityConfig& config, const mesh::Mesh& mesh);

}  // namespace varimesh::run
