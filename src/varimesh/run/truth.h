#pragma once

#include <optional>

#include "varimesh/result/problem_record.h"
#include "varimesh/run/build.h"

namespace varimesh::run {

/// The truth that a problem file names, with the u and the quantities it leads to; none if it names none. InputErrors
/// name the setting.
std::optional<result::Truth> build_truth(const Config& config, const Problem& problem);

}  // namespace varimesh::run
