#pragma once

#include <string>

#include "varimesh/types.h"

namespace varimesh::result {

/// By how much predictions change, for the same field, on the mesh refined once. With linear elements the error of the
/// mesh itself is about a third more. Nothing is known without refined cells.
struct MeshCheck {
  Index refined_cells = 0;
  std::string skipped;       ///< why it was not made: a clause; empty if it was, or nobody asked
  Vector sensors;            ///< of each sensor's prediction
  Vector quantities;         ///< of each quantity
  Vector quantities_before;  ///< each quantity on the mesh itself

  bool is_known() const { return refined_cells > 0; }
};

}  // namespace varimesh::result
