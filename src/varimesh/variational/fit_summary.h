#pragma once

#include <optional>
#include <string>

#include "varimesh/diagnostics/contender.h"
#include "varimesh/variational/fit.h"
#include "varimesh/variational/importance.h"

namespace varimesh::variational {

/// What a fit says and what it took, for comparisons; with khat if its importance weights were checked. Moments of a
/// mixture are those of 10,000 draws. Throws InputError if the fit ended before there was a distribution.
diagnostics::Contender summarize(std::string name, const FitResult& fit,
                                 const std::optional<ImportanceCheck>& check = std::nullopt);

}  // namespace varimesh::variational
