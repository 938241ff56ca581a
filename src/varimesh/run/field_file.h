#pragma once

#include <string>

#include "varimesh/run/input_file.h"
#include "varimesh/types.h"

namespace varimesh::run {

/// A function of position from a file: an ESRI ASCII grid (.asc, on a plane mesh), or a CSV file with the columns x, y,
/// z of the mesh's dimension and a column of values.
///
/// Rasters, and CSV files whose rows fill a grid (always so on a line), are interpolated linearly along each axis; up
/// to half a step beyond their outermost points they have the value there, and further out none. Other CSV files have
/// the value of the nearest row. Every fault of the file is an InputError with its name and line; evaluating where
/// there is no value is one that names the point. The function may be called from several threads.
ScalarFunction read_field_file(const InputFile& file, const std::string& column, int dimension);

}  // namespace varimesh::run
