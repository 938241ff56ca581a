#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "varimesh/io/packed_numbers.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

// What the pages of reports and documents read in the same way, as JSON (docs/report-data.md).

nlohmann::ordered_json encode(const PackedNumbers& numbers);
nlohmann::ordered_json numbers(const Vector& values, Packing packing);
/// `dimension` coordinates of each point. Far from the origin, floats could not tell neighbours apart.
nlohmann::ordered_json encode(const std::vector<Point>& points, int dimension);
nlohmann::ordered_json encode_mesh(const result::ProblemRecord& problem);

}  // namespace varimesh::io
