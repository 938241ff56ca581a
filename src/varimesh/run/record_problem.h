#pragma once

#include "varimesh/result/problem_record.h"
#include "varimesh/run/build.h"

namespace varimesh::run {

/// The prior in a sentence.
std::string describe_prior(const Config& config);

/// A checksum of the problem file and of every file that it names.
std::string fingerprint(const Config& config);

/// What was inferred from what, in words and numbers, for results. Throws InputError if the fingerprint is not that
/// from before the problem was built, if given: a file was replaced meanwhile.
result::ProblemRecord record_problem(const Config& config, const Problem& problem, std::string_view before = {});

}  // namespace varimesh::run
