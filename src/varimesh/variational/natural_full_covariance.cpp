#include <cmath>

#include "varimesh/linalg/dense.h"
#include "varimesh/variational/natural_families.h"

namespace varimesh::variational {
namespace {

using linalg::Transpose;

/// In coordinates in which q is standard normal, kappa = mu + L z: there the target is N = L' P L.
class FullCovarianceStep final : public NaturalStep {
 public:
  FullCovarianceStep(const FullCovariance& q, Vector direction, Matrix target)
      : NaturalStep(std::move(direction)), q_(q), target_(std::move(target)) {}

  std::optional<Candidate> take(double mean_scale, double scale) const override {
    // F is best at the target itself. N_s = (1 - s) I + s N = V V' with V upper triangular, so that the next factor
    // L V^-T is lower triangular. V is the Cholesky factor of N_s with rows and columns in reverse order.
    Matrix next = scale * target_.reverse();
    next.diagonal().array() += 1 - scale;
    if (!linalg::cholesky(next)) return std::nullopt;
    // V^-1 L', computed in reverse order
    Matrix factor = linalg::transposed(q_.gaussian().factor());
    factor.colwise().reverseInPlace();
    linalg::solve_triangular(next, Transpose::no, factor);
    factor.colwise().reverseInPlace();
    factor = linalg::transposed(factor);
    if (!factor.allFinite() || !(factor.diagonal().array() > 0).all()) return std::nullopt;
    // -1/2 [ tr(N N_s^-1) - tr N + log det N_s ], where tr(N N_s^-1) = [ n - (1 - s) tr N_s^-1 ] / s
    Matrix inverse_root = Matrix::Identity(q_.size(), q_.size());
    linalg::solve_triangular(next, Transpose::no, inverse_root);
    const double trace = (q_.size() - (1 - scale) * inverse_root.squaredNorm()) / scale;
    const double gain = -0.5 * (trace - target_.trace()) - next.diagonal().array().log().sum();
    return Candidate{std::make_unique<FullCovariance>(
                         gaussian::DenseGaussian(q_.mean() + mean_scale * direction(), std::move(factor))),
                     gain};
  }

 private:
  const FullCovariance& q_;
  Matrix target_;
};

}  // namespace

std::unique_ptr<NaturalStep> natural_step(const FullCovariance& q, const inverse::GaussianPrior& prior,
                                          const Curvature& curvature, const Vector& gradient) {
  const Matrix& factor = q.gaussian().factor();
  // N = L' Q_p L + L' H L
  Matrix white = factor;
  prior.gaussian().solve_root(white);
  Matrix target = Matrix::Zero(q.size(), q.size());
  linalg::add_gram(white, 1, target);
  if (curvature.is_low_rank()) {
    linalg::add_gram(linalg::transposed_product(curvature.columns(), factor), 1, target);
    linalg::symmetrize(target);
  } else {
    linalg::symmetrize(target);
    target += linalg::transposed_product(factor, linalg::product(curvature.dense(), factor));
  }
  // P^-1 g = L N^-1 L' g
  Matrix cholesky = target;
  if (!linalg::cholesky(cholesky)) return nullptr;
  Vector direction = gradient;
  q.gaussian().multiply_root_transposed(direction);
  linalg::solve_triangular(cholesky, Transpose::no, direction);
  linalg::solve_triangular(cholesky, Transpose::yes, direction);
  q.gaussian().multiply_root(direction);
  return std::make_unique<FullCovarianceStep>(q, std::move(direction), std::move(target));
}

}  // namespace varimesh::variational
