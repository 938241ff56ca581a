#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "varimesh/mesh/cell_bins.h"
#include "varimesh/mesh/surface.h"

namespace varimesh::mesh {

/// Cells that overlap, as their sides show, a sentence each: sides that more than two cells have, or two cells that lie
/// on the same side of it, and sides of the surface that cross each other. Where there are none of these and all cells
/// have the right orientation, only parts that lie one inside the other can overlap.
std::vector<std::string> find_crossings(const Mesh& mesh, const Surface& surface, const CellBins& bins,
                                        std::size_t most);

}  // namespace varimesh::mesh
