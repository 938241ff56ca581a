#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace varimesh::io {

/// A CSV file of numbers: a header line of column names, then rows of equal length. Lines that start with '#' are
/// comments.
struct CsvTable {
  std::string source;  ///< the file, for messages
  std::vector<std::string> columns;
  std::vector<std::vector<double>> values;  ///< one vector per column
  std::vector<int> lines;                   ///< line number in the file of each row

  std::size_t num_rows() const { return lines.size(); }
  /// Column number, if there is one of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  /// The values of a column that must be there.
  const std::vector<double>& column(std::string_view name) const;
};

/// Reads a file; every fault (no such file, ragged row, text or non-finite number in a cell, column named twice, no
/// rows, over-long line) is an InputError "file:line: ...".
CsvTable read_csv(const std::filesystem::path& file);
/// Reads text; `source` names it in messages.
CsvTable parse_csv(std::string_view text, std::string_view source);

/// The table as text, with the shortest digits that read back to the same numbers.
std::string format_csv(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values);

}  // namespace varimesh::io
