#pragma once

#include <filesystem>

#include "varimesh/io/netcdf.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// Draws, predictions and the approximation as NetCDF-4 in the layout of ArviZ's InferenceData (docs/results.md has
/// every group). The method must have an answer. InputErrors name the file, which is only made in memory.
NetcdfBytes format_posterior(const std::filesystem::path& file, const result::ProblemRecord& problem,
                             const result::MethodRecord& method);

/// Writes that, whole or not at all.
void write_posterior(const std::filesystem::path& file, const result::ProblemRecord& problem,
                     const result::MethodRecord& method);

/// Reads back what write_posterior wrote: all arrays of both records. InputErrors name the file and the variable.
void read_posterior(const std::filesystem::path& file, result::ProblemRecord& problem, result::MethodRecord& method);

}  // namespace varimesh::io
