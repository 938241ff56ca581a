#pragma once

#include <string>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// The posterior sd of each unknown over its prior sd, by the draws of the prior (of fewer than 100, one prior sd for
/// all); empty without these.
Vector share_of_prior(const result::MethodRecord& method);

/// Where the field is known from data, and where it is only the prior, in two sentences; empty without shares.
std::string known_in_words(const result::ProblemRecord& problem, const Vector& share);

}  // namespace varimesh::io
