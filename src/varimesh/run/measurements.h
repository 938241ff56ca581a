#pragma once

#include "varimesh/run/build.h"

namespace varimesh::run {

/// Adds what [measurements] names to a problem's sensors, behind those at points, and to its data. If some have no
/// values yet, the problem has no data, unless these are required.
void add_measurements(const Config& config, Data data, Problem& problem);

/// The model of all sensors, on their own mesh, a refined or a coarser one.
std::shared_ptr<const inverse::EllipticModel> build_model(const Sensors& sensors, const Equation& equation);

}  // namespace varimesh::run
