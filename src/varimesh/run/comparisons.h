#pragma once

#include <vector>

#include "varimesh/result/method_record.h"

namespace varimesh::run {

/// Every method measured by the best referee among them: chains that have converged, else full covariance. None if
/// there is no referee, or nothing to measure.
std::vector<result::ComparisonRecord> compare_methods(const std::vector<result::MethodRecord>& methods, int threads);

}  // namespace varimesh::run
