#include "varimesh/io/report_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/number_words.h"

namespace varimesh::io {
namespace {

constexpr std::size_t most_quantities = 4;  // in the summary; the page has a table of all

std::string with_minus_sign(std::string text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at)) text.replace(at, 1, "\u2212");
  return text;
}

std::string in_words(double value, int digits = 3) { return with_minus_sign(in_digits(value, digits)); }

/// As the page writes them: groups of three digits from five digits on.
std::string count_in_words(long long count) {
  std::string text = std::to_string(count);
  if (text.size() < 5) return text;
  for (std::size_t at = text.size() - 3; at > 0 && at < text.size(); at -= std::min<std::size_t>(at, 3))
    text.insert(at, "\u202f");
  return text;
}

/// The error to two digits, the value to the same place.
std::string estimate_in_words(double value, double error) {
  if (!std::isfinite(error) || error <= 0) return in_words(value, 4);
  const auto [shown, shown_error] = in_digits_of_error(value, error, 2);
  return with_minus_sign(shown + "\u00a0±\u00a0" + shown_error);
}

std::string list(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (std::size_t k = 1; k < names.size(); ++k) text += (k + 1 == names.size() ? " and " : ", ") + names[k];
  return text;
}

long long num_measurements(const result::ProblemRecord& problem) { return std::llround(problem.sensors.count.sum()); }

std::string_view cell_of(const mesh::Mesh& mesh) {
  return mesh.dimension() == 1 ? "cell" : mesh::topology(mesh.cell_type).name;
}

/// A clause after "the log coefficient".
std::string what_was_inferred(const result::ProblemRecord& problem) {
  const auto cells = fmt::format("{} {}", count_in_words(problem.mesh.num_cells()),
                                 problem.mesh.num_cells() == 1 ? cell_of(problem.mesh) : cells_of(problem.mesh));
  if (problem.on_nodes())
    return fmt::format("at the {} nodes of {}", count_in_words(problem.num_field_unknowns()), cells);
  if (problem.one_unknown_per_cell()) return "of " + cells;
  return fmt::format("of {} unknown{} on {}", count_in_words(problem.num_field_unknowns()),
                     problem.num_field_unknowns() == 1 ? "" : "s", cells);
}

std::string from_what(const result::ProblemRecord& problem) {
  if (!problem.words.field.empty()) return problem.words.field;
  if (!problem.has_measurements()) return "without measurements, from the prior alone";
  const std::string u = problem.labels.u.empty() ? "u" : problem.labels.u;
  const long long measurements = num_measurements(problem);
  const Index sensors = problem.num_sensors();
  auto text = fmt::format("from {} measurement{} of {}", count_in_words(measurements), measurements == 1 ? "" : "s", u);
  if (measurements != sensors) text += fmt::format(" at {} sensor{}", count_in_words(sensors), sensors == 1 ? "" : "s");
  return text;
}

/// Empty if nothing is finite.
std::string spread_in_words(const Vector& sd) {
  std::vector<double> finite;
  std::ranges::copy_if(sd, std::back_inserter(finite), [](double value) { return std::isfinite(value); });
  if (finite.empty()) return "";
  const auto middle = finite.begin() + static_cast<std::ptrdiff_t>(finite.size() / 2);
  std::ranges::nth_element(finite, middle);
  return fmt::format("the standard deviation of \u03ba is typically {} and at most {}", in_words(*middle, 2),
                     in_words(std::ranges::max(finite), 2));
}

std::string quantities_in_words(const result::ProblemRecord& problem, const result::MethodRecord& method) {
  std::vector<std::string> texts;
  const std::size_t count = std::min(problem.quantities.size(), method.quantities.size());
  for (std::size_t q = 0; q < count && texts.size() < most_quantities; ++q) {
    const auto& quantity = method.quantities[q];
    const double error = quantity.density.size() > 0 ? quantity.sd : 0;  // none of what is the same in every draw
    if (std::isfinite(quantity.mean))
      texts.push_back(fmt::format("{} is {}", problem.quantities[q].label, estimate_in_words(quantity.mean, error)));
  }
  return texts.empty() ? "" : list(texts);
}

/// The first chains that have completed, else the first method.
const result::MethodRecord& most_exact(const std::vector<const result::MethodRecord*>& methods) {
  for (const auto* method : methods) {
    if (method->chains && method->status == result::Status::completed && method->chains->rhat < 1.05) return *method;
  }
  return *methods.front();
}

}  // namespace

std::string_view cells_of(const mesh::Mesh& mesh) {
  return mesh.dimension() == 1 ? "cells" : mesh::topology(mesh.cell_type).plural;
}

std::vector<ReportFact> report_facts(const result::ProblemRecord& problem) {
  std::vector<ReportFact> facts;
  const auto add = [&](long long count, std::string_view thing, std::string_view things) {
    facts.push_back({std::string(count == 1 ? thing : things), static_cast<double>(count)});
  };
  add(problem.mesh.num_cells(), cell_of(problem.mesh), cells_of(problem.mesh));
  add(problem.num_unknowns(), "unknown", "unknowns");
  if (!problem.has_measurements()) return facts;
  add(problem.num_sensors(), "sensor", "sensors");
  add(num_measurements(problem), "measurement", "measurements");
  // Of what reads u: other kinds have other units.
  std::vector<double> of_u;
  for (Index s = 0; s < problem.num_sensors(); ++s) {
    if (problem.sensors.kind(s).empty()) of_u.push_back(problem.sensors.sigma[s]);
  }
  if (of_u.empty()) return facts;
  const auto [least, most] = std::ranges::minmax(of_u);
  const std::string& unit = problem.labels.u_unit;
  auto label = unit.empty() ? std::string("noise (sd)") : fmt::format("noise (sd, {})", unit);
  if (least == most)
    facts.push_back({std::move(label), least});
  else
    facts.push_back({std::move(label), in_words(least) + " to " + in_words(most)});
  return facts;
}

std::string report_summary(const result::ProblemRecord& problem,
                           const std::vector<const result::MethodRecord*>& methods) {
  std::vector<std::string> names, results;
  for (const auto* method : methods) names.push_back(method->name);
  const result::MethodRecord& quoted = most_exact(methods);
  for (auto&& text : {spread_in_words(problem.field_part(quoted.kappa.sd)), quantities_in_words(problem, quoted)}) {
    if (!text.empty()) results.push_back(text);
  }
  auto summary = fmt::format("The log coefficient \u03ba {} was inferred {}, by {}.", what_was_inferred(problem),
                             from_what(problem), list(names));
  if (!results.empty()) summary += fmt::format(" According to {}, {}.", quoted.name, fmt::join(results, "; "));
  return summary;
}

}  // namespace varimesh::io
