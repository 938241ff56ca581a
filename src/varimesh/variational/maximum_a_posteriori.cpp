#include "varimesh/variational/maximum_a_posteriori.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "varimesh/linalg/dense.h"
#include "varimesh/number_words.h"
#include "varimesh/variational/lbfgs.h"

namespace varimesh::variational {

namespace {

/// -R' Hessian R v, the curvature in coordinates whitened by the prior, by a central difference of gradients.
class WhiteHessian {
 public:
  WhiteHessian(Evaluator& evaluator, const Vector& kappa) : evaluator_(evaluator), kappa_(kappa) {}

  Vector times(const Vector& v) const {
    // Rounding of gradients adds eps / step, nonlinearity step^2: 1e-5 of a prior standard deviation balances them.
    constexpr double step = 1e-5;
    const gaussian::Gaussian& prior = evaluator_.posterior().gaussian_prior()->gaussian();
    Matrix points(v.size(), 2);
    points.col(0) = step * v;
    points.col(1) = -step * v;
    prior.multiply_root(points);
    points.colwise() += kappa_;
    Matrix gradients;
    const Vector values = evaluator_.values_and_gradients(points, gradients);
    if (!values.allFinite()) return Vector::Constant(v.size(), std::numeric_limits<double>::quiet_NaN());
    Vector result = (gradients.col(1) - gradients.col(0)) / (2 * step);
    prior.multiply_root_transposed(result);
    return result;
  }

 private:
  Evaluator& evaluator_;
  const Vector& kappa_;
};

/// Y with Y Y' the leading part of the curvature: V T V' from Lanczos' method with full orthogonalisation.
Matrix lanczos_columns(Evaluator& evaluator, const Vector& kappa) {
  constexpr Index max_steps = 100;
  const auto n = static_cast<Index>(kappa.size());
  const WhiteHessian hessian(evaluator, kappa);
  const Index steps = std::min(n, max_steps);
  Matrix basis = Matrix::Zero(n, steps), projected = Matrix::Zero(steps, steps);
  Random random(1);
  Vector next = random.normal_vector(n);
  Index size = 0;
  for (; size < steps; ++size) {
    for (int twice = 0; twice < 2; ++twice)
      next -= basis.leftCols(size) * (basis.leftCols(size).transpose() * next).eval();
    const double norm = next.norm();
    if (!(norm > 1e-10)) break;
    basis.col(size) = next / norm;
    next = hessian.times(basis.col(size));
    if (!next.allFinite()) break;
    projected.col(size).head(size + 1) = basis.leftCols(size + 1).transpose() * next;
  }
  projected = projected.topLeftCorner(size, size).eval();
  projected.triangularView<Eigen::StrictlyLower>() = projected.transpose();
  Vector eigenvalues(size);
  if (size > 0 && !linalg::eigen_decomposition(projected, eigenvalues)) eigenvalues.setZero();
  // W = V U max(Lambda, 0)^1/2 and Y = R^-T W
  Matrix columns = basis.leftCols(size) * projected * eigenvalues.cwiseMax(0).cwiseSqrt().asDiagonal();
  evaluator.posterior().gaussian_prior()->gaussian().solve_root_transposed(columns);
  return columns;
}

/// What is known of kappa at the maximum. Of noise that is not normal, that is not what made a safe step.
Curvature curvature_known(Evaluator& evaluator, const Vector& kappa, Curvature of_step) {
  if (evaluator.posterior().gaussian_likelihood()->observations().has_normal_noise()) return of_step;
  double value = 0;
  Vector gradient;
  return curvature_at(evaluator, kappa, value, gradient);
}

MapEstimate gauss_newton(Evaluator& evaluator, const MapOptions& options, const result::FitObserver& observer) {
  const inverse::GaussianPrior& prior = *evaluator.posterior().gaussian_prior();
  MapEstimate result;
  result.kappa = options.start.size() > 0 ? options.start : prior.gaussian().mean();
  double damping = 0;
  bool moved = true;
  double value = 0;
  Vector gradient, prior_gradient;
  std::optional<Curvature> curvature;
  for (; result.iterations < options.max_iterations; ++result.iterations) {
    if (moved) {
      curvature.emplace(curvature_at(evaluator, result.kappa, value, gradient, noise::Bend::majorizing));
      result.log_posterior = value + prior.log_density_and_gradient(result.kappa, prior_gradient);
      gradient += prior_gradient;
      if (!std::isfinite(result.log_posterior)) {
        result.message = "the model cannot be evaluated at the prior's mean";
        return result;
      }
    }
    if (observer && !observer({.iteration = result.iterations + 1, .elbo = result.log_posterior})) {
      result.interrupted = true;
      result.message = "stopped on request";
      return result;
    }
    // [ (1 + damping) Q_p + H ] step = gradient
    if (!curvature->factorize(1 + damping)) {
      result.message = "the curvature at the most probable kappa is not positive definite";
      return result;
    }
    const Vector step = curvature->solve(gradient);
    // The quadratic model's gain, g' d - 1/2 d' P d = 1/2 g' d + 1/2 damping |d|^2_Q_p, is at least half of g' d.
    const double slope = gradient.dot(step);
    if (!(slope / 2 > options.tolerance)) {
      // Only a step without damping tells.
      const double full =
          damping > 0 && curvature->factorize(1) ? gradient.dot(Vector(curvature->solve(gradient))) : slope;
      result.converged = full / 2 <= options.tolerance;
      result.message = result.converged
                           ? fmt::format("a full step promises {:.1e} nats", full / 2)
                           : fmt::format("no step improves the posterior, although {:.1e} nats are promised", full / 2);
      result.curvature = curvature_known(evaluator, result.kappa, std::move(*curvature));
      return result;
    }
    const Vector trial = result.kappa + step;
    // The same function as above, so that rounding does not matter to the gain.
    const double trial_value = evaluator.values(trial)[0] + prior.log_density_and_gradient(trial, prior_gradient);
    const double gain = trial_value - result.log_posterior;
    moved = std::isfinite(trial_value) && gain > 0.1 * slope / 2;
    if (moved) {
      result.kappa = trial;
      damping = gain > 0.7 * slope / 2 ? (damping < 1e-2 ? 0 : damping / 8) : damping;
    } else if (std::isfinite(trial_value) && damping == 0 && slope < 1e-11 * std::abs(result.log_posterior)) {
      result.converged = true;
      result.message = "the log posterior no longer changes in double precision";
      return result;
    } else {
      damping = std::max(0.03, 4 * damping);
    }
  }
  result.message = "no maximum within " + counted(options.max_iterations, "iteration");
  return result;
}

MapEstimate whitened_bfgs(Evaluator& evaluator, const MapOptions& options, const result::FitObserver& observer) {
  // kappa = m + R w:  log posterior = log likelihood - 1/2 |w|^2 + constant
  const gaussian::Gaussian& prior = evaluator.posterior().gaussian_prior()->gaussian();
  const auto kappa_of = [&](const Vector& w) {
    Vector kappa = w;
    prior.multiply_root(kappa);
    return Vector(kappa + prior.mean());
  };
  const auto objective = [&](const Vector& w, Vector& gradient) {
    Matrix gradients;
    const double value = evaluator.values_and_gradients(kappa_of(w), gradients)[0];
    gradient = gradients.col(0);
    prior.multiply_root_transposed(gradient);
    gradient -= w;
    return value + prior.log_density_of_white(w.squaredNorm());
  };
  LbfgsOptions bfgs{.max_iterations = 10 * options.max_iterations, .tolerance = options.tolerance};
  MapEstimate result;
  if (observer) {
    bfgs.proceed = [&](Index iteration, double value) {
      result.interrupted = !observer({.iteration = iteration, .elbo = value});
      return !result.interrupted;
    };
  }
  const LbfgsResult best = maximize_lbfgs(objective, Vector::Zero(prior.size()), bfgs);
  result.kappa = kappa_of(best.x);
  result.log_posterior = best.value;
  result.converged = best.converged;
  result.iterations = best.iterations;
  if (result.interrupted)
    result.message = "stopped on request";
  else if (!std::isfinite(best.value))
    result.message = "the model cannot be evaluated at the prior's mean";
  else if (best.converged)
    result.message = fmt::format("a step gains less than {:.0e} nats", options.tolerance);
  else
    result.message = fmt::format("no maximum found in {} of BFGS", counted(best.iterations, "iteration"));
  return result;
}

}  // namespace

Curvature curvature_at(Evaluator& evaluator, const Vector& kappa, double& value, Vector& gradient, noise::Bend bend) {
  const inverse::Posterior& posterior = evaluator.posterior();
  const inverse::GaussianPrior& prior = *posterior.gaussian_prior();
  Matrix gradients;
  if (!posterior.gaussian_likelihood()) {
    value = evaluator.values_and_gradients(kappa, gradients)[0];
    gradient = gradients.col(0);
    return Curvature::of_columns(prior, lanczos_columns(evaluator, kappa), evaluator.threads());
  }
  Evaluator::Linearized at = evaluator.linearize(kappa, 1, Curvature::exact, bend);
  value = at.values[0];
  gradient = at.gradients.col(0);
  return std::move(at.curvature);
}

MapEstimate maximum_a_posteriori(Evaluator& evaluator, const MapOptions& options, const result::FitObserver& observer) {
  const inverse::Posterior& posterior = evaluator.posterior();
  const inverse::GaussianLikelihood* likelihood = posterior.gaussian_likelihood();
  if (!likelihood) return whitened_bfgs(evaluator, options, observer);
  if (likelihood->observations().has_normal_noise() || options.start.size() > 0)
    return gauss_newton(evaluator, options, observer);
  inverse::Observations normal = likelihood->observations();
  normal.noise = nullptr;
  const inverse::Posterior counterpart(
      std::make_shared<inverse::GaussianLikelihood>(likelihood->shared_model(), std::move(normal)),
      posterior.shared_prior());
  Evaluator near(counterpart, evaluator.threads());
  MapOptions begin = options;
  begin.tolerance = std::max(begin.tolerance, 0.1);
  MapEstimate start = gauss_newton(near, begin, observer);
  evaluator.add_counts(near.counts());
  if (start.interrupted || !std::isfinite(start.log_posterior)) return start;
  MapOptions rest = options;
  rest.start = start.kappa;
  return gauss_newton(evaluator, rest, observer);
}

}  // namespace varimesh::variational
