#pragma once

#include <optional>
#include <span>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// The first of some facets (consecutive groups of `nodes_per_facet` node numbers) that is a facet of no cell, if any.
std::optional<std::size_t> first_stray_facet(const Mesh& mesh, std::span<const Index> facet_nodes);

}  // namespace varimesh::mesh
