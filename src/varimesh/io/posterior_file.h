#pragma once

#include <filesystem>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// Writes draws, predictions and the approximation as NetCDF-4 in the layout of ArviZ's InferenceData (docs/results.md
/// has every group), whole or not at all. The method must have an answer. The file is made in memory: as many bytes of
/// that are needed besides.
void write_posterior(const std::filesystem::path& file, const result::ProblemRecord& problem,
                     const result::MethodRecord& method);

/// Reads back what write_posterior wrote: all arrays of both records. InputErrors name the file and the variable.
void read_posterior(const std::filesystem::path& file, result::ProblemRecord& problem, result::MethodRecord& method);

}  // namespace varimesh::io
