#include "varimesh/random.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

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

Vector Random::normal_vector(Index size) {
  Vector result(size);
  for (double& x : result) x = normal();
  return result;
}

}  // namespace varimesh
