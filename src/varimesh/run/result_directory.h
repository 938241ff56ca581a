#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "varimesh/cancellation.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::run {

/// A method's answer with the problem that it answers.
struct StoredResult {
  result::ProblemRecord problem;
  result::MethodRecord method;
};

/// Writes summary.json, kappa.csv, posterior.nc, fields.vtu, fields.pvd and sensors.vtu. All are on the disk before the
/// first takes the place of an earlier one, and summary.json, without which the others are no result, comes last.
/// Without an answer there is only summary.json. Interrupted (cancellation.h) only if there is somebody to listen to:
/// by default what was found is written even when there is no more time to find.
void write_result(const std::filesystem::path& directory, const result::ProblemRecord& problem,
                  const result::MethodRecord& method, const Listening& to = {});

/// Removes a result and the chains it came from, and nothing else that may be in the directory.
void remove_result(const std::filesystem::path& directory);

/// Reads what write_result wrote. InputErrors name the file.
StoredResult read_result(const std::filesystem::path& directory);

/// The same, or nothing where there is no result, or what a loss of power has left of one: files cut short, or of two
/// results.
std::optional<StoredResult> find_result(const std::filesystem::path& directory);

/// Whether a directory holds a result.
bool holds_result(const std::filesystem::path& directory);

/// The directory itself if it holds a result, else those in it that do, in the order of the methods. Throws InputError
/// if there is none.
std::vector<std::filesystem::path> find_results(const std::filesystem::path& directory);

}  // namespace varimesh::run
