#include "varimesh/result/problem_record.h"

namespace varimesh::result {

std::vector<std::string> names_of(const std::vector<QuantityName>& quantities) {
  std::vector<std::string> names;
  for (const QuantityName& quantity : quantities) names.push_back(quantity.name);
  return names;
}

bool ProblemRecord::one_unknown_per_cell() const {
  if (on_nodes() || num_unknowns() != static_cast<Index>(unknown_of_cell.size())) return false;
  for (Index c = 0; c < num_unknowns(); ++c) {
    if (unknown_of_cell[static_cast<std::size_t>(c)] != c) return false;
  }
  return true;
}

}  // namespace varimesh::result
