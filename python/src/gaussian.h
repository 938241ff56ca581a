#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "varimesh/gaussian/gaussian.h"

namespace varimesh::python {

/// A normal distribution as Python has it.
struct Component {
  std::shared_ptr<const gaussian::Gaussian> gaussian;
};

void bind_gaussian(nanobind::module_& module);

}  // namespace varimesh::python
