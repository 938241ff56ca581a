#include "varimesh/io/esri_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "varimesh/error.h"
#include "varimesh/quote.h"

namespace varimesh::io {
namespace {

constexpr double max_pixels = 1e8;
constexpr std::string_view white = " \t\r\n";

class Reader {
 public:
  Reader(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  EsriGrid read() && {
    read_header();
    EsriGrid grid;
    const double columns = header("ncols"), rows = header("nrows");
    if (columns != std::floor(columns) || rows != std::floor(rows) || !(columns >= 1) || !(rows >= 1) ||
        !(columns * rows <= max_pixels))
      fail(fmt::format("expected whole numbers ncols and nrows with a product from 1 to {:.0f}, found {} and {}",
                       max_pixels, columns, rows));
    grid.columns = static_cast<std::size_t>(columns);
    grid.rows = static_cast<std::size_t>(rows);
    grid.step_x = has("dx") ? header("dx") : header("cellsize");
    grid.step_y = has("dy") ? header("dy") : header("cellsize");
    if (!(grid.step_x > 0) || !(grid.step_y > 0)) fail("expected a cellsize above 0");
    // Corners are half a pixel before the first centre.
    grid.x = has("xllcenter") ? header("xllcenter") : header("xllcorner") + grid.step_x / 2;
    grid.y = has("yllcenter") ? header("yllcenter") : header("yllcorner") + grid.step_y / 2;
    read_values(grid);
    return grid;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", source_, what)); }

  std::string_view peek() {
    const auto begin = text_.find_first_not_of(white);
    text_.remove_prefix(std::min(begin, text_.size()));
    return text_.substr(0, text_.find_first_of(white));
  }

  std::string_view next() {
    const std::string_view word = peek();
    text_.remove_prefix(word.size());
    return word;
  }

  double number(std::string_view what) {
    const std::string_view word = next();
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
      fail(fmt::format("{}: expected a number, found {}", what, word.empty() ? "the end of the file" : quote(word)));
    return value;
  }

  void read_header() {
    while (std::isalpha(static_cast<unsigned char>(peek().empty() ? '0' : peek().front())) != 0) {
      std::string key(next());
      std::ranges::transform(key, key.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      constexpr std::string_view known[] = {"ncols",     "nrows",    "xllcorner", "yllcorner", "xllcenter",
                                            "yllcenter", "cellsize", "dx",        "dy",        "nodata_value"};
      if (std::ranges::find(known, key) == std::end(known))
        fail(fmt::format("expected an ESRI ASCII grid, which begins with ncols, found {}", quote(key)));
      header_[key] = number(key);
    }
  }

  bool has(const std::string& key) const { return header_.contains(key); }

  double header(const std::string& key) const {
    const auto found = header_.find(key);
    if (found == header_.end()) fail(fmt::format("expected an ESRI ASCII grid with a line {}, found none", quote(key)));
    return found->second;
  }

  void read_values(EsriGrid& grid) {
    // A value takes two characters or more.
    if (text_.size() / 2 + 1 < grid.columns * grid.rows)
      fail(fmt::format("expected {} values in {} rows, found fewer", grid.columns * grid.rows, grid.rows));
    grid.values.resize(grid.columns * grid.rows);
    const auto nothing = header_.find("nodata_value");
    for (std::size_t row = 0; row < grid.rows; ++row) {
      for (std::size_t column = 0; column < grid.columns; ++column) {
        const double value = number("values");
        const bool missing = nothing != header_.end() && value == nothing->second;
        // The first row is the uppermost one.
        grid.values[(grid.rows - 1 - row) * grid.columns + column] =
            missing ? std::numeric_limits<double>::quiet_NaN() : value;
      }
    }
    if (!peek().empty()) fail(fmt::format("expected {} values, found more", grid.values.size()));
  }

  std::string_view text_;
  std::string source_;
  std::map<std::string, double> header_;
};

}  // namespace

EsriGrid parse_esri_grid(std::string_view text, std::string_view source) { return Reader(text, source).read(); }

}  // namespace varimesh::io
