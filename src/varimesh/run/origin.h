#pragma once

#include <string>

namespace varimesh::run {

/// Where a setting stands, "problem.toml:12: boundary.left.dirichlet", so that later errors can name it.
using Origin = std::string;

}  // namespace varimesh::run
