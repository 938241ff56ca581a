#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/io/csv.h"

namespace varimesh::run {

/// The columns of coordinates.
constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};

/// The columns of a file of sensors that mean something on a mesh of this dimension.
std::vector<std::string> known_columns(int dimension);

/// Which columns of a file of sensors are kept as text: all others.
io::IsText sensor_texts(int dimension);

/// The columns of a table of sensors that are not known ones.
struct FurtherColumns {
  std::optional<std::size_t> labels;  ///< what sensors are called
  std::vector<std::string> ignored;
};

/// Labels are in a column called `label`, `name`, `well` or the like, else in the first with something that is no
/// number. An InputError names a column that looks like a misspelt known one, or like another name for one, that the
/// table lacks.
FurtherColumns sort_columns(const io::CsvTable& table, int dimension);

}  // namespace varimesh::run
