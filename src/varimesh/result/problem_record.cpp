#include "varimesh/result/problem_record.h"

#include <algorithm>

namespace varimesh::result {

std::vector<std::string> names_of(const std::vector<QuantityName>& quantities) {
  std::vector<std::string> names;
  for (const QuantityName& quantity : quantities) names.push_back(quantity.name);
  return names;
}

std::string ProblemRecord::name_of(Index unknown) const {
  Index first = num_field_unknowns();
  for (const FieldRecord& field : fields) {
    first += field.size;
    if (unknown < first) return field.name;
  }
  return scalars.at(static_cast<std::size_t>(unknown - first)).name;
}

bool ProblemRecord::one_unknown_per_cell() const {
  if (on_nodes() || num_field_unknowns() != static_cast<Index>(unknown_of_cell.size())) return false;
  for (Index c = 0; c < num_field_unknowns(); ++c) {
    if (unknown_of_cell[static_cast<std::size_t>(c)] != c) return false;
  }
  return true;
}

Index ProblemRecord::num_known() const { return static_cast<Index>(std::ranges::count(unknown_of_cell, -1)); }

Vector ProblemRecord::on_cells(const Vector& of_unknown, const Vector& known) const {
  Vector result(static_cast<Eigen::Index>(unknown_of_cell.size()));
  for (Index c = 0; c < static_cast<Index>(result.size()); ++c) {
    const Index unknown = unknown_of_cell[static_cast<std::size_t>(c)];
    result[c] = unknown < 0 ? known[c] : of_unknown[unknown];
  }
  return result;
}

}  // namespace varimesh::result
