#pragma once

#include <string>
#include <vector>

#include "varimesh/diagnostics/chains_verdict.h"
#include "varimesh/diagnostics/contender.h"
#include "varimesh/mcmc/run_chains.h"

namespace varimesh::mcmc {

/// Whether chains can be believed: from the diagnostics of their unknowns, and the divergences and energies of all
/// transitions after the warm-up, kept or not.
diagnostics::ChainsVerdict judge(const ChainsResult& chains,
                                 const std::vector<diagnostics::QuantityDiagnostics>& unknowns);

/// What they say and what they took, for comparisons. Time is that of all threads together.
diagnostics::Contender summarize(std::string name, const ChainsResult& chains,
                                 const std::vector<diagnostics::QuantityDiagnostics>& unknowns);

}  // namespace varimesh::mcmc
