#include "varimesh/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <unordered_set>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/quote.h"
#include "varimesh/suggest.h"

namespace varimesh::io {
namespace {

constexpr std::uintmax_t max_bytes = std::uintmax_t{4} << 30;
constexpr std::size_t max_columns = 100'000;
constexpr std::size_t max_line_length = std::size_t{16} << 20;

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// A finite number that fills the text.
std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view source) : text_(text) { table_.source = source; }

  CsvTable parse() && {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    if (!next_line()) throw InputError(table_.source + ": expected a header line of column names, found an empty file");
    read_header();
    while (next_line()) read_row();
    if (table_.lines.empty()) fail("expected rows of numbers after the header, found none");
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", table_.source, line_number_, message));
  }

  // Moves to the next line that is neither blank nor a comment.
  bool next_line() {
    while (!text_.empty()) {
      if (line_number_ == INT_MAX) fail("too many lines");
      ++line_number_;
      const auto end = std::min(text_.find('\n'), text_.size());
      if (end > max_line_length) fail(fmt::format("expected at most {} characters in a line", max_line_length));
      line_ = trim(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (!line_.empty() && line_.front() != '#') return true;
    }
    return false;
  }

  std::size_t num_cells() const { return static_cast<std::size_t>(std::count(line_.begin(), line_.end(), ',')) + 1; }

  // Takes the first cell off the line.
  std::string_view next_cell() {
    const auto end = std::min(line_.find(','), line_.size());
    std::string_view cell = trim(line_.substr(0, end));
    line_.remove_prefix(std::min(end + 1, line_.size()));
    const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
    const std::string_view content = is_quoted ? trim(cell.substr(1, cell.size() - 2)) : cell;
    if (content.find('"') != std::string_view::npos) {
      fail("expected quotes only around a whole cell, with no comma or quote inside, found " + quote(cell));
    }
    return content;
  }

  void read_header() {
    const std::size_t count = num_cells();
    if (count > max_columns) fail(fmt::format("expected at most {} columns, found {}", max_columns, count));
    std::unordered_set<std::string_view> seen;
    table_.columns.reserve(count);  // `seen` refers to the names, which therefore must not move
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view name = next_cell();
      if (name.empty()) fail(fmt::format("column {}: expected a name, found an empty cell", i + 1));
      if (parse_number(name)) {
        fail(fmt::format("column {}: expected a name in the header line, found the number {}", i + 1, quote(name)));
      }
      table_.columns.emplace_back(name);
      if (!seen.insert(table_.columns.back()).second) fail("column " + quote(name) + " appears twice");
    }
    table_.values.resize(count);
  }

  void read_row() {
    const std::size_t expected = table_.columns.size(), found = num_cells();
    if (expected == 1 && table_.columns[0].find(';') != std::string::npos)
      fail("expected commas between columns, found semicolons");
    if (found != expected) fail(fmt::format("expected {}, found {}", counted(expected, "value"), found));
    for (std::size_t i = 0; i < expected; ++i) {
      const std::string_view cell = next_cell();
      const auto value = parse_number(cell);
      if (!value) {
        fail(fmt::format("column {}: expected a number, found {}", quote(table_.columns[i]),
                         cell.empty() ? "an empty cell" : quote(cell)));
      }
      table_.values[i].push_back(*value);
    }
    table_.lines.push_back(line_number_);
  }

  std::string_view text_;
  std::string_view line_;
  int line_number_ = 0;
  CsvTable table_;
};

}  // namespace

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

const std::vector<double>& CsvTable::column(std::string_view name) const {
  if (const auto index = find(name)) return values[*index];
  throw InputError(fmt::format("{}: expected a column {}, found {}{}", source, quote(name), quote_list(columns),
                               suggestion(name, columns)));
}

CsvTable read_csv(const std::filesystem::path& file) {
  const std::string text = read_file(file, max_bytes);
  return parse_csv(text, file.string());
}

CsvTable parse_csv(std::string_view text, std::string_view source) { return Parser(text, source).parse(); }

std::string format_csv(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values) {
  const std::size_t num_rows = values.empty() ? 0 : values.front().size();
  const bool rectangular =
      values.size() == columns.size() &&
      std::all_of(values.begin(), values.end(), [&](const auto& v) { return v.size() == num_rows; });
  if (!rectangular)
    throw std::invalid_argument("format_csv: expected one column of values, all of one length, per name");
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i) text += ',';
      fmt::format_to(std::back_inserter(text), "{}", values[i][row]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace varimesh::io
