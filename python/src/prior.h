#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "varimesh/inverse/prior.h"

namespace varimesh::python {

/// A prior as Python has it, with the places of its unknowns, if they have any.
struct PriorHandle {
  std::shared_ptr<const inverse::Prior> prior;
  std::vector<Point> positions;
};

void bind_prior(nanobind::module_& module);

}  // namespace varimesh::python
