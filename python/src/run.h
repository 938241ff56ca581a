#pragma once

#include <nanobind/nanobind.h>

namespace varimesh::python {

void bind_run(nanobind::module_& module);

}  // namespace varimesh::python
