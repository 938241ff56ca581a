#pragma once

#include <string>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// kappa.csv: a row for each unknown with its number and position, and the mean, sd, quantiles and truth (if it is
/// known) of kappa: columns cell or node, x[, y, z], mean, sd, q05, q50, q95[, truth]. The method must have an answer.
std::string format_kappa(const result::ProblemRecord& problem, const result::MethodRecord& method);

}  // namespace varimesh::io
