#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace varimesh::io {

/// An ESRI ASCII grid (.asc), as GIS programs and `gdal_translate -of AAIGrid` write it.
struct EsriGrid {
  std::size_t columns = 0, rows = 0;
  double x = 0, y = 0;            ///< centre of the lower left pixel
  double step_x = 1, step_y = 1;  ///< from pixel to pixel
  std::vector<double> values;     ///< row by row from below, NaN where there are no data
};

/// How large a file may be.
constexpr std::uintmax_t most_grid_bytes = std::uintmax_t{4} << 30;

/// Reads text; `source` names it in messages. Every fault is an InputError.
EsriGrid parse_esri_grid(std::string_view text, std::string_view source);

}  // namespace varimesh::io
