#pragma once

#include <nanobind/nanobind.h>

namespace varimesh::python {

void bind_own_problem(nanobind::module_& module);

}  // namespace varimesh::python
