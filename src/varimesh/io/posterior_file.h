#pragma once

#include <filesystem>
#include <optional>

#include "varimesh/pending_files.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/result/problem_sizes.h"

namespace varimesh::io {

/// Draws, predictions and the approximation as NetCDF-4 in the layout of ArviZ's InferenceData (docs/results.md has
/// every group), written piece by piece to files that get their names later. The method must have an answer.
void add_posterior(PendingFiles& files, const std::filesystem::path& file, const result::ProblemRecord& problem,
                   const result::MethodRecord& method);

/// Writes that, whole or not at all.
void write_posterior(const std::filesystem::path& file, const result::ProblemRecord& problem,
                     const result::MethodRecord& method);

/// Reads back what write_posterior wrote: all arrays of both records, which say already, as summary.json does, what
/// they are of; the sizes are, if given, those that it names. InputErrors name the file and the variable.
void read_posterior(const std::filesystem::path& file, result::ProblemRecord& problem, result::MethodRecord& method,
                    const std::optional<result::ProblemSizes>& sizes = std::nullopt);

}  // namespace varimesh::io
