#pragma once

namespace varimesh::result {

/// How large a problem is.
struct ProblemSizes {
  long long nodes = 0, cells = 0, unknowns = 0, sensors = 0;
};

}  // namespace varimesh::result
