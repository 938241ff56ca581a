#pragma once

#include "varimesh/run/inverse_problem.h"

namespace varimesh::run {

/// A problem of which only the record and the observations matter.
class BareProblem final : public InverseProblem {
 public:
  using InverseProblem::InverseProblem;
  Prediction predict(const Vector&) const override { return {}; }
};

}  // namespace varimesh::run
