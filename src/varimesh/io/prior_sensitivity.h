#pragma once

#include <nlohmann/json_fwd.hpp>

#include "varimesh/io/json_reader.h"
#include "varimesh/result/prior_sensitivity.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

// The key prior_sensitivity of summary.json; posterior.nc has its vector over unknowns.

nlohmann::ordered_json encode_prior_sensitivity(const result::ProblemRecord& problem,
                                                const result::PriorSensitivity& found);
/// Null, and files written before there was such a key, leave everything as it is.
void read_prior_sensitivity(const JsonReader& file, result::PriorSensitivity& found);

}  // namespace varimesh::io
