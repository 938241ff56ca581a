#pragma once

#include <optional>
#include <vector>

#include "varimesh/mesh/boxes.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// What the maps of a report show: the mesh itself or, if that is too large for a page, boxes over it. kappa and what
/// is derived from it are then averages over the boxes, weighted by volume, and u has its values at their corners. The
/// problem must outlive it.
class ReportMaps {
 public:
  explicit ReportMaps(const result::ProblemRecord& problem);

  bool in_boxes() const { return boxes_.has_value(); }
  /// The problem with the mesh, unknowns and truth that are shown, but without words; the problem itself if there are
  /// no boxes.
  const result::ProblemRecord& problem() const { return boxes_ ? shown_ : problem_; }
  /// Of values of the unknowns.
  Vector kappa(const Vector& values) const;
  /// Of values at the nodes.
  Vector u(const Vector& values) const;

 private:
  const result::ProblemRecord& problem_;
  result::ProblemRecord shown_;
  std::optional<mesh::Boxes> boxes_;
  Vector measure_;               ///< of what each box holds and is not known
  std::vector<Index> inferred_;  ///< boxes that hold any such part
};

}  // namespace varimesh::io
