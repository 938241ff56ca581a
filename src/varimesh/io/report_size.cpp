#include "varimesh/io/report_size.h"

#include <algorithm>

namespace varimesh::io {
namespace {

constexpr double most_bytes = 14e6;          // leaves room for the template, words and traces
constexpr double most_bytes_of_draws = 7e6;  // of all methods
constexpr double base64_growth = 4.0 / 3;
constexpr Index most_sensors = 10'000;  // the page draws 2,000

struct Choice {
  Packing fields;
  Index picture;
  double allowed;  // bytes of everything but draws
};
// The last is taken whatever comes of it.
constexpr Choice choices[] = {
    {Packing::f64, 512, 1e6},  {Packing::f32, 512, 4e6},       {Packing::q16, 512, 10e6},
    {Packing::q16, 256, 12e6}, {Packing::q8, 128, most_bytes},
};

}  // namespace

ReportSize choose_report_size(const result::ProblemRecord& problem,
                              const std::vector<const result::MethodRecord*>& methods) {
  const Index shown_sensors = std::min(problem.num_sensors(), most_sensors);
  const double unknowns = problem.num_unknowns(), nodes = problem.mesh.num_nodes(), sensors = shown_sensors;
  const auto count = static_cast<double>(methods.size());
  const double mesh =
      base64_growth * (8.0 * problem.mesh.dimension() * (nodes + sensors) + 4.0 * sensors * 4 +
                       4.0 * static_cast<double>(problem.mesh.cell_nodes.size()) +
                       4.0 * static_cast<double>(problem.one_unknown_per_cell() ? 0 : problem.unknown_of_cell.size()));
  const auto bytes_of = [&](const Choice& choice) {
    const double fields = (5 * unknowns + 2 * nodes) * count + (problem.truth ? unknowns + nodes : 0);
    const double blocks = std::min<double>(choice.picture, unknowns);
    return mesh + base64_growth * (fields * packed_size(choice.fields) + count * (3 * blocks * blocks + 8 * sensors));
  };
  const Choice* choice = std::begin(choices);
  while (choice + 1 != std::end(choices) && bytes_of(*choice) > choice->allowed) ++choice;
  const double of_draw = base64_growth * packed_size(Packing::q16) * (unknowns + nodes) * count;
  const double draws = std::clamp(std::min(most_bytes_of_draws, most_bytes - bytes_of(*choice)) / of_draw, 0.0, 1000.0);
  return {choice->fields, choice->picture, static_cast<Index>(draws), shown_sensors};
}

}  // namespace varimesh::io
