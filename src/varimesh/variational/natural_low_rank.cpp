#include <cmath>

#include "varimesh/linalg/dense.h"
#include "varimesh/variational/natural_families.h"

namespace varimesh::variational {
namespace {

using gaussian::LowRankGaussian;

/// c (I + U diag(lambda) U'), a precision matrix in coordinates whitened by the prior.
struct WhitePrecision {
  double scale = 1;
  LowRankGaussian::Directions directions;
  Vector excess;

  /// n log c + sum log(1 + lambda)
  double log_determinant(Index n) const { return n * std::log(scale) + excess.array().log1p().sum(); }
};

WhitePrecision precision_of(const LowRankGaussian& q) {
  return {1 / (q.scale() * q.scale()), q.shared_directions(), q.excess()};
}

/// (1 - s) A + s B: the eigenvectors of the sum of two low ranks lie in the span of both.
WhitePrecision mix(const WhitePrecision& a, const WhitePrecision& b, double s) {
  const Eigen::Index ka = a.excess.size(), kb = b.excess.size();
  WhitePrecision result{(1 - s) * a.scale + s * b.scale, nullptr, Vector(0)};
  // W W' / c with W = [ U_a sqrt((1 - s) c_a lambda_a), U_b sqrt(s c_b lambda_b) ]
  Matrix w(a.directions->rows(), ka + kb);
  w.leftCols(ka) = *a.directions * ((1 - s) * a.scale / result.scale * a.excess).cwiseMax(0).cwiseSqrt().asDiagonal();
  w.rightCols(kb) = *b.directions * (s * b.scale / result.scale * b.excess).cwiseMax(0).cwiseSqrt().asDiagonal();
  Matrix vectors = linalg::transposed_product(w, w);
  Vector values;
  if (!linalg::eigen_decomposition(vectors, values)) values.setConstant(std::nan(""));
  // Rounding leaves errors of about 1e-14 of the largest.
  const double smallest = 1e-14 * std::max(1.0, values.size() > 0 ? values[values.size() - 1] : 0);
  const Eigen::Index kept = (values.array() > smallest).count();
  result.excess = values.tail(kept);
  const Matrix transform = vectors.rightCols(kept) * result.excess.cwiseSqrt().cwiseInverse().asDiagonal();
  result.directions = std::make_shared<const Matrix>(linalg::product(w, transform));
  return result;
}

class LowRankStep final : public NaturalStep {
 public:
  LowRankStep(const LowRank& q, Vector direction, const Spectrum& target)
      : NaturalStep(std::move(direction)),
        q_(q),
        target_{1, target.directions, target.values},
        left_out_nats_(target.nats()),
        left_out_sd_(target.sd_excess()) {
    value_ = value(precision_of(q.gaussian()));
  }

  std::optional<Candidate> take(double mean_scale, double scale) const override {
    const WhitePrecision next = scale == 1 ? target_ : mix(precision_of(q_.gaussian()), target_, scale);
    if (!next.excess.allFinite() || !(next.excess.array() > -1).all()) return std::nullopt;
    const double gain = value(next) - value_;
    LowRankGaussian moved(q_.mean() + mean_scale * direction(), q_.gaussian().shared_base(), next.directions,
                          next.excess, 1 / std::sqrt(next.scale));
    return Candidate{std::make_unique<LowRank>(std::move(moved), left_out_nats_, left_out_sd_), gain};
  }

 private:
  /// F(Q) = -1/2 tr(P Q^-1) - 1/2 log det Q, without what does not depend on Q
  double value(const WhitePrecision& q) const {
    // Q^-1 = [ I - U diag(d) U' ] / c with d = lambda / (1 + lambda):
    // tr(P Q^-1) = [ n + sum lambda_P - sum d - sum_ij lambda_P,i (U_P,i' U_j)^2 d_j ] / c
    const Index n = q_.size();
    const Vector d = q.excess.array() / (1 + q.excess.array());
    const double overlap =
        q.directions == target_.directions
            ? target_.excess.dot(d)
            : target_.excess.dot(linalg::transposed_product(*target_.directions, *q.directions).cwiseAbs2() * d);
    const double trace = (n + target_.excess.sum() - d.sum() - overlap) / q.scale;
    return -0.5 * (trace + q.log_determinant(n));
  }

  const LowRank& q_;
  WhitePrecision target_;  ///< P
  double left_out_nats_, left_out_sd_;
  double value_;  ///< F at q
};

}  // namespace

std::unique_ptr<NaturalStep> natural_step(const LowRank& q, Curvature& curvature, const Vector& gradient) {
  if (!curvature.factorize()) return nullptr;
  return std::make_unique<LowRankStep>(q, curvature.solve(gradient), curvature.spectrum());
}

}  // namespace varimesh::variational
