#include "varimesh/diagnostics/quantity.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/error.h"
#include "varimesh/parallel.h"

namespace varimesh::diagnostics {

std::vector<Index> evenly_spaced(Index available, Index count) {
  std::vector<Index> chosen(static_cast<std::size_t>(std::min(available, std::max(count, 0))));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    chosen[i] =
        static_cast<Index>(static_cast<long long>(i + 1) * available / static_cast<long long>(chosen.size())) - 1;
  return chosen;
}

Vector evaluate_quantity(const Matrix& draws, const Quantity& quantity, int threads) {
  if (draws.cols() == 0) throw InputError("expected at least one draw, found none");
  Vector values(draws.cols());
  parallel_for(static_cast<Index>(draws.cols()), threads, [&](Index s) { values[s] = quantity(draws.col(s)); });
  return values;
}

Matrix evaluate_quantity(const result::Draws& draws, Index draws_per_chain, const Quantity& quantity, int threads) {
  const Index chains = draws.num_chains();
  const std::vector<Index> chosen = evenly_spaced(draws.num_draws(), draws_per_chain);
  if (chosen.empty())
    throw InputError(
        fmt::format("expected at least one draw of a chain, found {} draws of {} chains", chosen.size(), chains));
  const auto rows = static_cast<Index>(chosen.size());
  Matrix values(rows, chains);
  parallel_for(rows, threads, [&](Index row) {
    for (Index chain = 0; chain < chains; ++chain) values(row, chain) = quantity(draws.chain(chain).col(chosen[row]));
  });
  return values;
}

}  // namespace varimesh::diagnostics
