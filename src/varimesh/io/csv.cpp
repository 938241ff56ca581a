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
  Parser(std::string_view text, std::string_view source, const IsText& is_text) : text_(text), is_text_(is_text) {
    table_.source = source;
  }

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

  // The line's cells, without their quotes.
  const std::vector<std::string>& split() {
    cells_.clear();
    while (cells_.empty() || !line_.empty()) {
      if (cells_.size() == max_columns) fail(fmt::format("expected at most {} columns, found more", max_columns));
      if (!cells_.empty()) line_ = trim(line_.substr(1));  // the comma
      if (!line_.starts_with('"')) {
        const auto end = std::min(line_.find(','), line_.size());
        const std::string_view cell = trim(line_.substr(0, end));
        if (cell.find('"') != std::string_view::npos) fail_quotes(cell);
        cells_.emplace_back(cell);
        line_.remove_prefix(end);
      } else {
        cells_.push_back(next_quoted());
      }
    }
    return cells_;
  }

  // Takes a cell in quotes off the line.
  std::string next_quoted() {
    std::string cell;
    std::size_t at = 1;
    while (at < line_.size() && (line_[at] != '"' || line_.substr(at + 1).starts_with('"'))) {
      if (line_[at] == '"') ++at;
      cell += line_[at++];
    }
    const std::string_view rest = at < line_.size() ? trim(line_.substr(at + 1)) : std::string_view{};
    if (at >= line_.size() || (!rest.empty() && rest.front() != ',')) fail_quotes(line_);
    line_ = rest;
    return std::string(trim(cell));
  }

  [[noreturn]] void fail_quotes(std::string_view found) const {
    fail("expected quotes only around a whole cell, and doubled inside, found " + quote(found));
  }

  void read_header() {
    const std::vector<std::string>& cells = split();
    const std::size_t count = cells.size();
    std::unordered_set<std::string_view> seen;
    table_.columns.reserve(count);  // `seen` refers to the names, which therefore must not move
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view name = cells[i];
      if (name.empty()) fail(fmt::format("column {}: expected a name, found an empty cell", i + 1));
      if (parse_number(name)) {
        fail(fmt::format("column {}: expected a name in the header line, found the number {}", i + 1, quote(name)));
      }
      table_.columns.emplace_back(name);
      if (!seen.insert(table_.columns.back()).second) fail("column " + quote(name) + " appears twice");
    }
    table_.values.resize(count);
    table_.texts.resize(count);
    for (const std::string& column : table_.columns) text_column_.push_back(is_text_ && is_text_(column));
  }

  void read_row() {
    const std::size_t expected = table_.columns.size();
    if (expected == 1 && table_.columns[0].find(';') != std::string::npos)
      fail("expected commas between columns, found semicolons");
    const std::vector<std::string>& cells = split();
    if (cells.size() != expected) fail(fmt::format("expected {}, found {}", counted(expected, "value"), cells.size()));
    for (std::size_t i = 0; i < expected; ++i) {
      if (text_column_[i]) {
        table_.texts[i].push_back(cells[i]);
        continue;
      }
      const auto value = parse_number(cells[i]);
      if (!value) {
        fail(fmt::format("column {}: expected a number, found {}", quote(table_.columns[i]),
                         cells[i].empty() ? "an empty cell" : quote(cells[i])));
      }
      table_.values[i].push_back(*value);
    }
    table_.lines.push_back(line_number_);
  }

  std::string_view text_;
  std::string_view line_;
  const IsText& is_text_;
  std::vector<char> text_column_;
  std::vector<std::string> cells_;
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

CsvTable read_csv(const std::filesystem::path& file, const IsText& is_text) {
  const std::string text = read_file(file, most_csv_bytes);
  return parse_csv(text, file.string(), is_text);
}

CsvTable parse_csv(std::string_view text, std::string_view source, const IsText& is_text) {
  return Parser(text, source, is_text).parse();
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos && trim(text) == text && !text.starts_with('#'))
    return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c == '\n' || c == '\r' ? ' ' : c;
  }
  return cell + '"';
}

std::string format_csv(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values) {
  return format_csv("", {}, columns, values);
}

std::string format_csv(const std::string& text_column, const std::vector<std::string>& texts,
                       const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values) {
  const std::size_t num_rows = values.empty() ? 0 : values.front().size();
  const bool has_text = !text_column.empty();
  const bool rectangular =
      values.size() == columns.size() &&
      std::all_of(values.begin(), values.end(), [&](const auto& v) { return v.size() == num_rows; });
  if (!rectangular || (has_text && texts.size() != num_rows))
    throw std::invalid_argument("format_csv: expected one column of values, all of one length, per name");
  std::string text = has_text ? csv_cell(text_column) : "";
  for (const std::string& column : columns) {
    if (!text.empty()) text += ',';
    text += csv_cell(column);
  }
  text += '\n';
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (has_text) text += csv_cell(texts[row]) + ',';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i) text += ',';
      fmt::format_to(std::back_inserter(text), "{}", values[i][row]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace varimesh::io
