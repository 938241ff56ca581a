#include <cmath>

#include "varimesh/variational/natural_families.h"

namespace varimesh::variational {
namespace {

class MeanFieldStep final : public NaturalStep {
 public:
  MeanFieldStep(const MeanField& q, Vector direction, Vector target)
      : NaturalStep(std::move(direction)), q_(q), target_(std::move(target)) {}

  std::optional<Candidate> take(double mean_scale, double scale) const override {
    // F is best at the target itself.
    const Vector precision = q_.gaussian().precision_diagonal();
    const Vector next = (1 - scale) * precision + scale * target_;
    if (!(next.array() > 0).all() || !next.allFinite()) return std::nullopt;
    // -1/2 sum_i [ t_i (1/p'_i - 1/p_i) + log(p'_i / p_i) ]
    const double gain = -0.5 * (target_.array() * (next.array().inverse() - precision.array().inverse()) +
                                (next.array() / precision.array()).log())
                                   .sum();
    return Candidate{std::make_unique<MeanField>(gaussian::DiagonalGaussian(q_.mean() + mean_scale * direction(),
                                                                            next.cwiseSqrt().cwiseInverse())),
                     gain};
  }

 private:
  const MeanField& q_;
  Vector target_;
};

}  // namespace

std::unique_ptr<NaturalStep> natural_step(const MeanField& q, const inverse::GaussianPrior& prior, Curvature& curvature,
                                          const Vector& gradient) {
  if (!curvature.factorize()) return nullptr;
  return std::make_unique<MeanFieldStep>(q, curvature.solve(gradient),
                                         prior.precision_diagonal() + curvature.diagonal());
}

}  // namespace varimesh::variational
