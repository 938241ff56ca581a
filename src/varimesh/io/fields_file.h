#pragma once

#include <vector>

#include "varimesh/file.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// For ParaView: fields.vtu with summaries on the mesh, sensors.vtu (if there are sensors), and fields.pvd, which plays
/// the shown draws in draws/*.vtu. Paths are relative to the result's directory. The method must have an answer.
std::vector<FileContent> format_fields(const result::ProblemRecord& problem, const result::MethodRecord& method);

}  // namespace varimesh::io
