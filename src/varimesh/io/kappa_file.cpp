#include "varimesh/io/kappa_file.h"

#include <array>
#include <stdexcept>
#include <vector>

#include "varimesh/io/csv.h"

namespace varimesh::io {

std::string format_kappa(const result::ProblemRecord& problem, const result::MethodRecord& method) {
  if (!method.has_answer()) throw std::invalid_argument("format_kappa: expected a method with an answer");
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  const auto add = [&](const char* name, const Vector& values_of_all) {
    const auto column = problem.field_part(values_of_all);
    names.emplace_back(name);
    values.emplace_back(column.begin(), column.end());
  };
  const Index n = problem.num_field_unknowns();
  Vector number = Vector::LinSpaced(n, 0, n - 1);
  // Where kappa is known in cells, and each of the others has an unknown of its own: these cells.
  if (n + problem.num_known() == static_cast<Index>(problem.unknown_of_cell.size())) {
    for (Index c = 0, k = 0; k < n; ++c)
      if (problem.unknown_of_cell[static_cast<std::size_t>(c)] == k) number[k++] = c;
  }
  add(problem.on_nodes() ? "node" : "cell", number);
  constexpr std::array axes = {"x", "y", "z"};
  for (int axis = 0; axis < problem.mesh.dimension(); ++axis) {
    names.emplace_back(axes.at(axis));
    values.emplace_back();
    for (const Point& position : problem.positions) values.back().push_back(position[axis]);
  }
  add("mean", method.kappa.mean);
  add("sd", method.kappa.sd);
  add("q05", method.kappa.q05);
  add("q50", method.kappa.q50);
  add("q95", method.kappa.q95);
  if (problem.truth) add("truth", problem.truth->kappa);
  return format_csv(names, values);
}

}  // namespace varimesh::io
