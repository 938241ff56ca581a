#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::run {

/// Methods of one problem, with names of their own.
struct StoredMethods {
  result::ProblemRecord problem;
  std::vector<result::MethodRecord> methods;
  std::vector<std::string> fingerprints;  ///< of each method's problem
  std::vector<std::string> differences;   ///< between these problems, a sentence each
};

/// Reads what is in directories of results, each one result or several, to be compared. Throws InputError if they
/// cannot stand beside each other, or if none has an answer.
StoredMethods read_methods(const std::vector<std::filesystem::path>& results);

}  // namespace varimesh::run
