#pragma once

#include <filesystem>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::run {

/// A method's answer with the problem that it answers.
struct StoredResult {
  result::ProblemRecord problem;
  result::MethodRecord method;
};

/// Writes summary.json, kappa.csv, posterior.nc, fields.vtu, fields.pvd and sensors.vtu. Files are replaced one by one,
/// each whole, summary.json last: what it says is true of the others. Without an answer there is only summary.json.
void write_result(const std::filesystem::path& directory, const result::ProblemRecord& problem,
                  const result::MethodRecord& method);

/// Reads what write_result wrote. InputErrors name the file.
StoredResult read_result(const std::filesystem::path& directory);

/// Whether a directory holds a result.
bool holds_result(const std::filesystem::path& directory);

/// The directory itself if it holds a result, else those in it that do, sorted by name. Throws InputError if there is
/// none.
std::vector<std::filesystem::path> find_results(const std::filesystem::path& directory);

}  // namespace varimesh::run
