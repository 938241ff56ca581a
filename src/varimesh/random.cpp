#include "varimesh/random.h"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "varimesh/box_muller.h"

namespace varimesh {

void Random::refill() {
  // One block of Philox-2x64 gives two 64-bit words; the counter is (draw, stream), the key the seed.
  const r123::Philox2x64::ctr_type words = r123::Philox2x64{}({{counter_++, stream_}}, {{seed_}});
  // The top 53 bits, centred in their cell: (k + 1/2) 2^-53.
  for (int i = 0; i < 2; ++i) uniforms_[i] = (static_cast<double>(words[i] >> 11) + 0.5) * 0x1p-53;
  available_ = 2;
}

double Random::uniform() {
  if (available_ == 0) refill();
  return uniforms_[2 - available_--];
}

double Random::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  // Box and Muller
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

void Random::fill_normal(Eigen::Ref<Vector> values) {
  Eigen::Index at = 0;
  // First what is left over from single numbers: all of it one by one if an odd number of uniforms was drawn.
  while (at < values.size() && (has_spare_normal_ || available_ > 0)) values[at++] = normal();
  // Then a pair of normals from each pair of uniforms.
  double u[box_muller_most], v[box_muller_most];
  while (values.size() - at >= 2) {
    const std::size_t pairs = std::min(static_cast<std::size_t>(values.size() - at) / 2, box_muller_most);
    for (std::size_t k = 0; k < pairs; ++k) {
      refill();
      u[k] = uniforms_[0];
      v[k] = uniforms_[1];
    }
    available_ = 0;
    box_muller(pairs, u, v, values.data() + at);
    at += static_cast<Eigen::Index>(2 * pairs);
  }
  if (at < values.size()) values[at] = normal();
}

Vector Random::normal_vector(Index size) {
  Vector result(size);
  fill_normal(result);
  return result;
}

Matrix Random::normal_matrix(Index rows, Index columns) {
  Matrix result(rows, columns);
  fill_normal(result.reshaped());
  return result;
}

}  // namespace varimesh
