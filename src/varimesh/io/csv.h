#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace varimesh::io {

/// A CSV file of numbers, and of text where it was asked for: a header line of column names, then rows of equal length.
/// Lines that start with '#' are comments. Cells may be in quotes, with commas inside, and quotes doubled.
struct CsvTable {
  std::string source;  ///< the file, for messages
  std::vector<std::string> columns;
  std::vector<std::vector<double>> values;      ///< one vector per column, empty for columns of text
  std::vector<int> lines;                       ///< line number in the file of each row
  std::vector<std::vector<std::string>> texts;  ///< one vector per column, empty for columns of numbers

  std::size_t num_rows() const { return lines.size(); }
  /// Column number, if there is one of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  /// The values of a column that must be there.
  const std::vector<double>& column(std::string_view name) const;
};

/// Whether a column may hold anything, and is kept as text.
using IsText = std::function<bool(std::string_view column)>;

/// How large a file may be.
constexpr std::uintmax_t most_csv_bytes = std::uintmax_t{4} << 30;

/// Reads a file; every fault (no such file, ragged row, text or non-finite number in a cell, column named twice, no
/// rows, over-long line) is an InputError "file:line: ...".
CsvTable read_csv(const std::filesystem::path& file, const IsText& is_text = {});
/// Reads text; `source` names it in messages.
CsvTable parse_csv(std::string_view text, std::string_view source, const IsText& is_text = {});

/// The table as text, with the shortest digits that read back to the same numbers.
std::string format_csv(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values);
/// The same after a column of text; without one if its name is empty.
std::string format_csv(const std::string& text_column, const std::vector<std::string>& texts,
                       const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values);

/// Text as a cell: in quotes where it has a comma, a quote, an end of line or spaces around it.
std::string csv_cell(std::string_view text);

}  // namespace varimesh::io
