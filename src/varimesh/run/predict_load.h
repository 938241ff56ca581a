#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "varimesh/run/inverse_problem.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::run {

struct PredictLoadOptions {
  std::optional<Index> draws;  ///< so many fresh ones of a fitted distribution; else those of the result
  std::uint64_t seed = 1;      ///< of fresh draws
  int threads = 1;
};

/// Says in a load case's record where its field comes from, with the labels that it lacks.
void name_source(const result::ProblemRecord& source, result::ProblemRecord& record);

/// What an inferred field means for another load case: other forcing, boundary values, sensors or quantities on the
/// same mesh. Chains keep their draws. Doubts about the inference are kept, too. The observer gets the share that is
/// done; after it returns false the rest is left out. Throws InputError if the mesh is another one.
result::MethodRecord predict_load(const InverseProblem& problem, const StoredResult& stored,
                                  const PredictLoadOptions& options,
                                  const std::function<bool(double done)>& observer = {});

}  // namespace varimesh::run
