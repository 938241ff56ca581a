#include "varimesh/hyper/hyper_fit.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/hyper/surrogate.h"
#include "varimesh/random_streams.h"

namespace varimesh::hyper {
namespace {

constexpr double longest_step = 1.5;  // in t, whose prior sd is 1
constexpr double noise_of_elbo = 0.1;

struct Mode {
  FittedPoint point;
  Matrix covariance;  ///< BFGS's idea of the inverse curvature
  bool converged = false;
};

/// BFGS with the step halved while F falls. F is an estimate: differences below its noise are none.
Mode find_mode(Objective& objective, Index max_fits) {
  constexpr double enough = 0.005;  // nats that a full step promises
  const Index n = objective.hyper().size();
  Mode result{objective.fit(Vector::Zero(n), nullptr), Matrix::Identity(n, n)};
  FittedPoint& at = result.point;
  if (!at.q) throw InputError("no fit at the medians of the hyperparameters' priors: give them closer priors");
  while (objective.fits() < max_fits) {
    Vector step = result.covariance * at.gradient;
    if (0.5 * at.gradient.dot(step) < enough) {
      result.converged = true;
      break;
    }
    if (const double length = step.norm(); length > longest_step) step *= longest_step / length;
    FittedPoint next = objective.fit(at.t + step, &at);
    for (int halvings = 0; halvings < 5 && !(next.log_posterior > at.log_posterior - noise_of_elbo); ++halvings) {
      step *= 0.5;
      next = objective.fit(at.t + step, &at);
    }
    if (!(next.log_posterior > at.log_posterior - noise_of_elbo)) break;
    // H <- (I - s y'/s'y) H (I - y s'/s'y) + s s'/s'y, of -F
    const Vector y = at.gradient - next.gradient;
    if (const double sy = step.dot(y); sy > 1e-3 * step.norm() * y.norm()) {
      const Matrix project = Matrix::Identity(n, n) - step * y.transpose() / sy;
      result.covariance = project * result.covariance * project.transpose() + step * step.transpose() / sy;
    }
    at = std::move(next);
  }
  return result;
}

/// V sqrt(lambda) of the inverse curvature C = V lambda V', with variances that a posterior beside a prior N(0, I) can
/// have.
Matrix axes_of(const Matrix& curvature) {
  constexpr double least = 0.3;  // of the curvature: the prior alone has 1
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(curvature);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(least).cwiseSqrt().cwiseInverse().asDiagonal();
}

/// -d2F/dt2 at the mode by differences of gradients half an sd away; the fits are further points.
Matrix curvature_at_mode(Objective& objective, const Mode& mode, std::vector<FittedPoint>& points) {
  constexpr double share = 0.5;
  const Index n = objective.hyper().size();
  Matrix curvature = mode.covariance.inverse();
  for (Index j = 0; j < n; ++j) {
    const double reach = share * std::clamp(std::sqrt(mode.covariance(j, j)), 0.05, 1.0);
    Vector plus = mode.point.t, minus = mode.point.t;
    plus[j] += reach;
    minus[j] -= reach;
    points.push_back(objective.fit(plus, &mode.point));
    points.push_back(objective.fit(minus, &mode.point));
    const FittedPoint &above = points[points.size() - 2], &below = points.back();
    if (above.q && below.q) curvature.col(j) = (below.gradient - above.gradient) / (2 * reach);
  }
  return 0.5 * (curvature + curvature.transpose());
}

/// Grid points outwards from the mode while the density is not negligible.
void explore_grid(Objective& objective, const Matrix& axes, Index max_fits, std::vector<FittedPoint>& points) {
  const Index n = objective.hyper().size();
  const double spacing = n == 1 ? 0.8 : 1.3, deepest = n == 1 ? 4.5 : 3;
  const double top = points.front().log_posterior;
  std::map<std::vector<int>, std::size_t> known{{std::vector<int>(n, 0), 0}};
  std::vector<std::pair<std::vector<int>, std::size_t>> open(known.begin(), known.end());
  for (std::size_t k = 0; k < open.size() && objective.fits() < max_fits; ++k) {
    const auto [place, number] = open[k];
    if (!(points[number].log_posterior > top - deepest)) continue;
    for (Index j = 0; j < n; ++j) {
      for (const int side : {-1, 1}) {
        std::vector<int> next = place;
        next[j] += side;
        if (known.contains(next) || objective.fits() >= max_fits) continue;
        const Vector z = spacing * Eigen::Map<const Eigen::VectorXi>(next.data(), n).cast<double>();
        points.push_back(objective.fit(points.front().t + axes * z, &points[number]));
        known[next] = points.size() - 1;
        open.emplace_back(next, points.size() - 1);
      }
    }
  }
}

/// Points on a sphere: on the axes and at the corners of a cube.
void explore_composite(Objective& objective, const Matrix& axes, Index max_fits, std::vector<FittedPoint>& points) {
  const Index n = objective.hyper().size();
  const double radius = 1.1 * std::sqrt(n);
  const auto add = [&](const Vector& z) {
    if (objective.fits() < max_fits) points.push_back(objective.fit(points.front().t + axes * z, &points.front()));
  };
  for (Index j = 0; j < n; ++j) {
    for (const double side : {-radius, radius}) add(side * Vector::Unit(n, j));
  }
  for (int corner = 0; corner < 1 << n; ++corner) {
    add(Vector::NullaryExpr(n, [&](Eigen::Index j) { return radius / std::sqrt(n) * ((corner >> j) & 1 ? 1 : -1); }));
  }
}

/// t = centre + axes z
struct Coordinates {
  Vector centre;
  Matrix axes;
};

/// The log density, interpolated between all points.
struct Interpolation {
  Matrix z;  ///< of each point, one a column
  Surrogate surrogate;
};

Interpolation interpolate(const std::vector<FittedPoint>& points, const Coordinates& in) {
  const Matrix inverse = in.axes.inverse();
  Matrix z(in.axes.rows(), std::ssize(points));
  Vector values(std::ssize(points));
  for (Eigen::Index k = 0; k < z.cols(); ++k) {
    const FittedPoint& point = points[static_cast<std::size_t>(k)];
    z.col(k) = inverse * (point.t - in.centre);
    values[k] = point.log_posterior;
  }
  return {z, Surrogate(z, values)};
}

/// Those in which the interpolated density has mean zero and covariance one, from others: the density may be skew or
/// have long tails, of which the curvature at the mode knows nothing.
Coordinates standardize(const std::vector<FittedPoint>& points, Coordinates in, int rounds, Random& random) {
  constexpr Index draws = 2000;
  for (int round = 0; round < rounds; ++round) {
    const Matrix z = interpolate(points, in).surrogate.sample(draws, random).z;
    const Vector mean = z.rowwise().mean();
    const Matrix centred = z.colwise() - mean;
    const Eigen::LLT<Matrix> factor(centred * centred.transpose() / draws);
    in.centre += in.axes * mean;
    in.axes = in.axes * Matrix(factor.matrixL());
  }
  return in;
}

/// Further points, each where the interpolation needs it most.
Coordinates refine(Objective& objective, Coordinates in, Index count, Random& random,
                   std::vector<FittedPoint>& points) {
  constexpr Index draws = 200;
  for (Index k = 0; k < count; ++k) {
    in = standardize(points, in, 1, random);
    const Interpolation now = interpolate(points, in);
    const Matrix drawn = now.surrogate.sample(draws, random).z;
    const Vector next = drawn.col(now.surrogate.most_informative(drawn));
    Eigen::Index nearest = 0;
    (now.z.colwise() - next).colwise().squaredNorm().minCoeff(&nearest);
    FittedPoint point = objective.fit(in.centre + in.axes * next, &points[static_cast<std::size_t>(nearest)]);
    if (point.q) points.push_back(std::move(point));
  }
  return in;
}

}  // namespace

Matrix HyperFit::draws(const HyperModel& hyper) const {
  Matrix psi(t_draws.rows(), t_draws.cols());
  for (Eigen::Index s = 0; s < psi.cols(); ++s) psi.col(s) = hyper.values(t_draws.col(s));
  return psi;
}

HyperFit fit_hyper(const HyperModel& hyper, const HyperFitOptions& options, const result::FitObserver& observer) {
  constexpr Index most = 4, refinements = 12;
  const Index n = hyper.size();
  if (n < 1 || n > most) throw InputError(fmt::format("expected 1 to {} unknown hyperparameters, found {}", most, n));
  Objective objective(hyper, options.fit, observer);
  Mode mode = find_mode(objective, options.max_fits);
  const Index search = objective.fits();
  HyperFit result;
  result.converged = mode.converged;
  result.points.push_back(mode.point);
  if (options.mode_only) {
    result.axes = axes_of(mode.covariance.inverse());
    result.t_draws = mode.point.t;
  } else {
    result.axes = axes_of(curvature_at_mode(objective, mode, result.points));
    if (n <= 2)
      explore_grid(objective, result.axes, options.max_fits, result.points);
    else
      explore_composite(objective, result.axes, options.max_fits, result.points);
    std::erase_if(result.points, [](const FittedPoint& point) { return !point.q; });
  }

  Random random(options.fit.seed, random_streams::hyperparameters);
  Coordinates in{result.mode().t, result.axes};
  if (!options.mode_only) {
    if (n > 2) in = refine(objective, in, refinements, random, result.points);
    in = standardize(result.points, in, 3, random);
  }
  result.axes = in.axes;
  const Interpolation last = interpolate(result.points, in);
  const Surrogate::Draws draws = last.surrogate.sample(options.draws, random);
  result.log_evidence = draws.log_integral + std::log(std::abs(result.axes.determinant()));
  result.weights = Vector::Zero(std::ssize(result.points));
  if (options.mode_only) {
    result.weights[0] = 1;
    result.nearest = {0};
  } else {
    result.t_draws = (in.axes * draws.z).colwise() + in.centre;
    for (Eigen::Index s = 0; s < draws.z.cols(); ++s) {
      Eigen::Index nearest = 0;
      (last.z.colwise() - draws.z.col(s)).colwise().squaredNorm().minCoeff(&nearest);
      result.nearest.push_back(static_cast<Index>(nearest));
      result.weights[nearest] += 1.0 / options.draws;
    }
  }
  result.counts = objective.counts();
  result.fits = objective.fits();
  result.message =
      fmt::format("{} after {} fits, {} in all",
                  mode.converged ? "most probable hyperparameters found" : "no maximum of the hyperparameters found",
                  search, result.fits);
  return result;
}

}  // namespace varimesh::hyper
