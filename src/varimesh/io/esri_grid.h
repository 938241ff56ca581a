#pragma once

#include <filesystem>
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

/// Reads a file; every fault is an InputError with its name.
EsriGrid read_esri_grid(const std::filesystem::path& file);
/// Reads text; `source` names it in messages.
EsriGrid parse_esri_grid(std::string_view text, std::string_view source);

}  // namespace varimesh::io
