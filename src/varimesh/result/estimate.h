#pragma once

namespace varimesh::result {

/// A number and how much of it Monte Carlo noise may be.
struct Estimate {
  double value = 0, error = 0;
};

}  // namespace varimesh::result
