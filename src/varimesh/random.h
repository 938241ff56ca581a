#pragma once

#include <cstdint>

#include "varimesh/types.h"

namespace varimesh {

/// A stream of random numbers that is a function of (seed, stream) alone (Philox counter-based generator): give each
/// sample, chain or task its own stream, and results do not depend on the number of threads.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  /// Uniform on (0, 1), never 0 or 1.
  double uniform();
  /// Standard normal.
  double normal();
  /// The same numbers as so many calls of normal(), to rounding, but several times as fast.
  void fill_normal(Eigen::Ref<Vector> values);
  Vector normal_vector(Index size);
  Matrix normal_matrix(Index rows, Index columns);

 private:
  void refill();

  std::uint64_t seed_, stream_, counter_ = 0;
  double uniforms_[2] = {};
  int available_ = 0;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

}  // namespace varimesh
