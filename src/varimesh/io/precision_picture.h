#pragma once

#include <optional>
#include <vector>

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/result/draws.h"
#include "varimesh/types.h"

namespace varimesh::io {

/// A precision matrix reduced to blocks of entries, for a picture. Block b covers the unknowns from b n / size to
/// (b + 1) n / size.
struct PrecisionPicture {
  enum class Order { natural, elimination };

  Index unknowns = 0;
  long long nonzeros = 0;  ///< stored entries of the matrix itself, both triangles
  Index size = 0;          ///< rows of the picture
  Order order = Order::natural;
  Vector fill;   ///< of each block, row by row: the share of its entries that are stored
  Vector value;  ///< of each block, row by row: the entry of largest magnitude, with its sign
};

/// Of a normal distribution, in at most `most` x `most` blocks. None of a dense one of several thousand unknowns, which
/// would take too long.
std::optional<PrecisionPicture> picture_precision(const gaussian::Gaussian& gaussian, Index most);

/// The inverse of the draws' covariance. None if there are too few effective draws for it to mean something, or too
/// many unknowns.
std::optional<PrecisionPicture> picture_precision(const result::Draws& draws, double effective_draws, Index most);

}  // namespace varimesh::io
