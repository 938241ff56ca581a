#include "varimesh/run/problem_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace varimesh::run {

std::string mesh_difference(const result::ProblemRecord& a, const result::ProblemRecord& b) {
  if (a.mesh.num_cells() != b.mesh.num_cells() || a.mesh.num_nodes() != b.mesh.num_nodes())
    return fmt::format("one has {} cells and {} nodes, the other {} and {}", a.mesh.num_cells(), a.mesh.num_nodes(),
                       b.mesh.num_cells(), b.mesh.num_nodes());
  if (a.mesh.cell_type != b.mesh.cell_type || a.mesh.cell_nodes != b.mesh.cell_nodes) return "their cells differ";
  if (a.mesh.nodes != b.mesh.nodes) return "their nodes are at different places";
  if (a.support != b.support) return "one has unknowns in its cells and the other at its nodes ([coefficient])";
  if (a.num_field_unknowns() != b.num_field_unknowns())
    return fmt::format("their cells share unknowns in different ways ([coefficient]): one has {}, the other {}",
                       a.num_field_unknowns(), b.num_field_unknowns());
  const auto same_field = [](const result::FieldRecord& x, const result::FieldRecord& y) {
    return x.name == y.name && x.support == y.support && x.unknown_of_cell == y.unknown_of_cell;
  };
  if (!std::ranges::equal(a.fields, b.fields, same_field)) return "their unknown sources differ ([unknowns])";
  const auto same_scalar = [](const result::ScalarRecord& x, const result::ScalarRecord& y) {
    return x.name == y.name && x.prior.transform == y.prior.transform;
  };
  if (!std::ranges::equal(a.scalars, b.scalars, same_scalar)) return "their unknown scalars differ ([unknowns])";
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  if (!std::ranges::equal(a.known_kappa, b.known_kappa, same))
    return "their conductivities are known in other cells, or are others ([coefficient])";
  if (a.conductivity_tensor != b.conductivity_tensor)
    return "their conductivities depend on the direction in other ways ([coefficient])";
  if (a.unknown_of_cell != b.unknown_of_cell) return "their cells share unknowns in different ways ([coefficient])";
  return "";
}

std::string problem_difference(const result::ProblemRecord& a, const result::ProblemRecord& b) {
  if (std::string difference = mesh_difference(a, b); !difference.empty()) return difference;
  if (a.sensors.points != b.sensors.points || a.sensors.mean != b.sensors.mean || a.sensors.kinds != b.sensors.kinds)
    return "their measurements differ";
  const auto same_name = [](const result::QuantityName& x, const result::QuantityName& y) {
    return x.name == y.name && x.label == y.label;
  };
  if (!std::ranges::equal(a.quantities, b.quantities, same_name)) return "their quantities differ";
  if (a.words.field != b.words.field) return "one is an inference and the other a prediction";
  return "";
}

std::vector<std::string> name_differences(const std::vector<std::string>& names,
                                          const std::vector<result::ProblemWords>& words,
                                          result::ProblemRecord& problem) {
  using Words = result::ProblemWords;
  constexpr std::array<std::pair<const char*, std::string Words::*>, 3> parts = {
      {{"equations", &Words::equation}, {"priors", &Words::prior}, {"noise", &Words::noise}}};
  std::vector<std::string> differences;
  for (const auto& [what, part] : parts) {
    std::vector<std::pair<std::string, std::string>> said;  // sentence, and who says it
    for (std::size_t k = 0; k < words.size(); ++k) {
      const auto same = std::ranges::find(said, words[k].*part, &std::pair<std::string, std::string>::first);
      if (same == said.end())
        said.emplace_back(words[k].*part, names[k]);
      else
        same->second += ", " + names[k];
    }
    if (said.size() < 2) continue;
    std::string sentence;
    for (const auto& [text, who] : said) sentence += fmt::format("{}{}: {}", sentence.empty() ? "" : " ", who, text);
    problem.words.*part = "Not the same for all. " + sentence;
    differences.push_back(
        fmt::format("Different {}, so that one posterior is no measure of the other. {}", what, sentence));
  }
  return differences;
}

}  // namespace varimesh::run
