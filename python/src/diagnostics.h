#pragma once

#include <nanobind/nanobind.h>

namespace varimesh::python {

void bind_diagnostics(nanobind::module_& module);

}  // namespace varimesh::python
