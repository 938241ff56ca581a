#pragma once

#include <nlohmann/json_fwd.hpp>

#include "varimesh/io/json_reader.h"
#include "varimesh/result/leave_one_out.h"
#include "varimesh/result/mesh_check.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

// The keys leave_one_out and mesh_check of summary.json; posterior.nc has their vectors over sensors.

nlohmann::ordered_json encode_leave_one_out(const result::ProblemRecord& problem, const result::LeaveOneOut& found);
/// Null, and files written before there was such a key, leave everything as it is.
void read_leave_one_out(const JsonReader& file, result::LeaveOneOut& found);

nlohmann::ordered_json encode_mesh_check(const result::ProblemRecord& problem, const result::MeshCheck& check);
void read_mesh_check(const JsonReader& file, result::MeshCheck& check);

}  // namespace varimesh::io
