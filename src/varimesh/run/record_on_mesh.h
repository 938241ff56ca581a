#pragma once

#include "varimesh/result/problem_record.h"

namespace varimesh::run {

/// The record of a problem with an unknown for each cell, or each node, of a mesh; labels, words, sensors and
/// quantities are left to be filled in.
result::ProblemRecord record_on_cells(mesh::Mesh mesh);
result::ProblemRecord record_on_nodes(mesh::Mesh mesh);

}  // namespace varimesh::run
