#include "varimesh/diagnostics/fourier.h"

#include <algorithm>
#include <unsupported/Eigen/FFT>

namespace varimesh::diagnostics {

struct Fourier::Tables {
  Eigen::FFT<double> fft;
};

Fourier::Fourier() : tables_(std::make_unique<Tables>()) {}

Fourier::~Fourier() = default;

Index Fourier::good_size(Index at_least) {
  for (Index n = std::max(2, at_least);; ++n) {
    Index rest = n;
    for (const Index prime : {2, 3, 5}) {
      while (rest > 1 && rest % prime == 0) rest /= prime;
    }
    if (rest <= 1) return n;
  }
}

void Fourier::forward(std::span<const Complex> in, std::span<Complex> out) {
  tables_->fft.fwd(out.data(), in.data(), static_cast<Eigen::Index>(in.size()));
}

}  // namespace varimesh::diagnostics
