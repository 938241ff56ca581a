#pragma once

#include <optional>
#include <string>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::io {

/// A picture of numbers in the plane, for programs such as QGIS.
struct Raster {
  Index columns = 0, rows = 0;
  double x = 0, y = 0;                     ///< of the upper left corner
  double step = 1;                         ///< side of a pixel
  std::vector<std::string> names;          ///< of the bands
  std::vector<std::vector<double>> bands;  ///< row by row, the uppermost first; NaN: no data
  std::optional<int> epsg = std::nullopt;  ///< the coordinate reference system, a projected one
};

/// The bytes of a GeoTIFF of 64-bit floats, not compressed. Throws InputError for more than 4 GB.
std::string format_geotiff(const Raster& raster);

}  // namespace varimesh::io
