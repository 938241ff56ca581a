#include "varimesh/run/sensor_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/quote.h"
#include "varimesh/suggest.h"

namespace varimesh::run {
namespace {

/// Columns that are labels even if they are numbers, the better names first.
constexpr std::array<std::string_view, 13> label_names{"label", "name",     "well", "sensor",     "station",
                                                       "site",  "borehole", "bore", "piezometer", "probe",
                                                       "code",  "id",       "point"};

/// What people call columns that have another name here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> synonyms{{{"sd", "sigma"},
                                                                                  {"std", "sigma"},
                                                                                  {"stdev", "sigma"},
                                                                                  {"stddev", "sigma"},
                                                                                  {"error", "sigma"},
                                                                                  {"noise", "sigma"},
                                                                                  {"uncertainty", "sigma"},
                                                                                  {"n", "count"},
                                                                                  {"replicates", "count"},
                                                                                  {"u", "value"},
                                                                                  {"measured", "value"},
                                                                                  {"measurement", "value"},
                                                                                  {"reading", "value"},
                                                                                  {"observed", "value"},
                                                                                  {"head", "value"},
                                                                                  {"temperature", "value"}}};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_number(const std::string& text) {
  double value = 0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size();
}

/// Refuses a column whose name is nearly, or means, one that the table lacks.
void reject_misspelt(const io::CsvTable& table, const std::string& column, const std::vector<std::string>& known) {
  std::vector<std::string> missing;
  for (const std::string& name : known) {
    // Who has coordinates needs no node, and the other way round.
    const bool other_place = name == "node"     ? table.find("x").has_value()
                             : name.size() == 1 ? table.find("node").has_value()
                                                : false;
    if (!table.find(name) && !other_place) missing.push_back(name);
  }
  const auto synonym =
      std::ranges::find(synonyms, lower_case(column), &std::pair<std::string_view, std::string_view>::first);
  const bool is_synonym = synonym != synonyms.end() && std::ranges::count(missing, synonym->second) > 0;
  const std::string hint =
      is_synonym ? fmt::format("; is this what is called '{}' here?", synonym->second) : suggestion(column, missing);
  if (!hint.empty())
    throw InputError(
        fmt::format("{}: unknown column {}, expected {}{}", table.source, quote(column), quote_list(known), hint));
}

}  // namespace

std::vector<std::string> known_columns(int dimension) {
  std::vector<std::string> known{"node"};
  known.insert(known.end(), axis_names.begin(), axis_names.begin() + dimension);
  known.insert(known.end(), {"value", "sigma", "count"});
  return known;
}

io::IsText sensor_texts(int dimension) {
  return [known = known_columns(dimension)](std::string_view column) {
    return std::ranges::find(known, column) == known.end();
  };
}

FurtherColumns sort_columns(const io::CsvTable& table, int dimension) {
  const std::vector<std::string> known = known_columns(dimension);
  FurtherColumns result;
  std::size_t best_name = label_names.size();
  std::optional<std::size_t> first_text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& column = table.columns[c];
    if (std::ranges::count(known, column) > 0) continue;
    const auto name =
        static_cast<std::size_t>(std::ranges::find(label_names, lower_case(column)) - label_names.begin());
    const bool is_axis = std::ranges::count(axis_names, column) > 0;
    if (name == label_names.size() && !is_axis) reject_misspelt(table, column, known);
    if (name < best_name) {
      best_name = name;
      result.labels = c;
    }
    if (!first_text && !is_axis && !std::ranges::all_of(table.texts[c], is_number)) first_text = c;
  }
  if (!result.labels) result.labels = first_text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (std::ranges::count(known, table.columns[c]) == 0 && c != result.labels)
      result.ignored.push_back(table.columns[c]);
  }
  return result;
}

}  // namespace varimesh::run
