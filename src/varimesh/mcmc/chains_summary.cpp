#include "varimesh/mcmc/chains_summary.h"

#include <utility>

namespace varimesh::mcmc {

diagnostics::ChainsVerdict judge(const ChainsResult& chains,
                                 const std::vector<diagnostics::QuantityDiagnostics>& unknowns) {
  long long divergences = 0;
  std::vector<double> e_bfmi;
  for (const ChainSummary& chain : chains.chains) {
    divergences += chain.divergences;
    e_bfmi.push_back(chain.e_bfmi);
  }
  return diagnostics::judge(unknowns, divergences, e_bfmi);
}

diagnostics::Contender summarize(std::string name, const ChainsResult& chains,
                                 const std::vector<diagnostics::QuantityDiagnostics>& unknowns) {
  diagnostics::Contender result = diagnostics::summarize(std::move(name), chains.draws, unknowns);
  for (const auto& [phase, seconds] : chains.seconds) {
    if (phase != "total") result.seconds += seconds;
  }
  result.counts = chains.counts;
  return result;
}

}  // namespace varimesh::mcmc
