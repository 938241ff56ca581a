#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::python {

/// A method's answer with the problem that it answers, as Python has it.
struct Answer {
  std::shared_ptr<const result::ProblemRecord> problem;
  std::shared_ptr<const result::MethodRecord> method;
};

void bind_answer(nanobind::module_& module);

}  // namespace varimesh::python
