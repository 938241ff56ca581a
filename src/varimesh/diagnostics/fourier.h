#pragma once

#include <complex>
#include <memory>
#include <span>

#include "varimesh/types.h"

namespace varimesh::diagnostics {

/// Discrete Fourier transforms. An object keeps its tables between calls and serves one thread at a time.
class Fourier {
 public:
  using Complex = std::complex<double>;

  Fourier();
  Fourier(const Fourier&) = delete;
  Fourier& operator=(const Fourier&) = delete;
  ~Fourier();

  /// The smallest product of powers of 2, 3 and 5 that is no less, and no less than 2: sizes that are transformed fast.
  static Index good_size(Index at_least);

  /// out_k = sum_j in_j exp(-2 pi i j k / n); in and out are of one size, at least 2, and do not overlap.
  void forward(std::span<const Complex> in, std::span<Complex> out);

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace varimesh::diagnostics
