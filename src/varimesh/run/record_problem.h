#pragma once

#include "varimesh/result/problem_record.h"
#include "varimesh/run/build.h"

namespace varimesh::run {

/// The prior in a sentence.
std::string describe_prior(const Config& config);

/// What is measured or predicted where.
result::SensorRecord record_sensors(const Config& config, const Problem& problem);

/// What was inferred from what, in words and numbers, for results. The fingerprint is of the problem file and of every
/// file that it names, as they were read.
result::ProblemRecord record_problem(const Config& config, const Problem& problem);

}  // namespace varimesh::run
