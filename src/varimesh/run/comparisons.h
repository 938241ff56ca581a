#pragma once

#include <string>
#include <vector>

#include "varimesh/result/method_record.h"

namespace varimesh::run {

/// Every method measured by the best referee among them: chains that have converged, else full covariance. None if
/// there is no referee, or nothing to measure.
std::vector<result::ComparisonRecord> compare_methods(const std::vector<result::MethodRecord>& methods, int threads);

/// The same of results that may answer different problems, as their fingerprints say, one for each method: a posterior
/// is measured by others of the same problem only.
std::vector<result::ComparisonRecord> compare_methods(const std::vector<result::MethodRecord>& methods,
                                                      const std::vector<std::string>& fingerprints, int threads);

}  // namespace varimesh::run
