// Your own solver in varimesh. The model here is a hot rod that cools by radiation,
//
//     -(exp(kappa) u')' + u^4 = 0 on (0, 1),   u(0) = 1,   u'(1) = 0,
//
// with one unknown kappa for each of n cells and a thermometer at every second node. It is nonlinear, and solved by
// Newton's method with a tridiagonal solver of its own: varimesh knows nothing of it but the two classes it derives
// from.
#include <varimesh/inverse/contract.h>
#include <varimesh/inverse/gaussian_process.h>
#include <varimesh/variational/fit.h>
#include <varimesh/variational/importance.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

using varimesh::Index;
using varimesh::Vector;
namespace inverse = varimesh::inverse;
namespace variational = varimesh::variational;

/// A symmetric tridiagonal matrix: coupling[i] stands at (i, i+1) and (i+1, i).
struct Tridiagonal {
  Vector diagonal, coupling;

  /// Gaussian elimination without pivoting, which is stable for the positive definite matrices of this model.
  Vector solve(Vector b) const {
    const Index n = static_cast<Index>(b.size());
    Vector pivot = diagonal;
    for (Index i = 1; i < n; ++i) {
      const double factor = coupling[i - 1] / pivot[i - 1];
      pivot[i] -= factor * coupling[i - 1];
      b[i] -= factor * b[i - 1];
    }
    b[n - 1] /= pivot[n - 1];
    for (Index i = n - 2; i >= 0; --i) b[i] = (b[i] - coupling[i] * b[i + 1]) / pivot[i];
    return b;
  }
};

// ---- 1. The solver as it might be before varimesh: u at nodes 0..n for given kappa, and the Newton matrix it ends
// with ----

struct RodState {
  Vector conductance;  ///< exp(kappa) / h of each cell
  Vector u;            ///< at nodes 0..n; NaN if Newton's method failed
  Tridiagonal newton;  ///< derivative of the residual of nodes 1..n by their u
};

RodState solve_rod(const Vector& kappa) {
  const Index n = static_cast<Index>(kappa.size());
  const double h = 1.0 / n;
  RodState rod{kappa.array().exp() / h, Vector::Ones(n + 1), {Vector(n), Vector(n - 1)}};
  const Vector& a = rod.conductance;
  Vector& u = rod.u;
  double step = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 50; ++iteration) {
    Vector residual(
        n);  // of node i+1: flux in from the left, flux out to the right, radiation; the last cell is a half
    for (Index i = 0; i < n; ++i) {
      const double width = i + 1 < n ? h : h / 2;
      residual[i] = a[i] * (u[i + 1] - u[i]) + width * std::pow(u[i + 1], 4);
      rod.newton.diagonal[i] = a[i] + 4 * width * std::pow(u[i + 1], 3);
      if (i + 1 == n) continue;
      residual[i] -= a[i + 1] * (u[i + 2] - u[i + 1]);
      rod.newton.diagonal[i] += a[i + 1];
      rod.newton.coupling[i] = -a[i + 1];
    }
    // Converged, and the matrix just assembled belongs to this u.
    if (step < 1e-12) return rod;
    const Vector change = rod.newton.solve(residual);
    u.tail(n) -= change;
    step = change.cwiseAbs().maxCoeff();
  }
  u.setConstant(std::numeric_limits<double>::quiet_NaN());
  return rod;
}

// ---- 2. The full contract: predictions and their derivative. Every method of varimesh can use it, with curvature ----

class RodLinearization final : public inverse::Linearization {
 public:
  RodLinearization(RodState rod, Vector prediction) : rod_(std::move(rod)), prediction_(std::move(prediction)) {}

  const Vector& prediction() const override { return prediction_; }

  /// With the residual R(u, kappa) = 0 and the adjoint solution lambda = (dR/du)^-T P'w:  J'w = -(dR/dkappa)' lambda.
  Vector jacobian_transposed(const Vector& w) const override {
    const Index n = static_cast<Index>(rod_.conductance.size());
    Vector load = Vector::Zero(n);
    for (Index sensor = 0; sensor < w.size(); ++sensor) load[2 * sensor + 1] = w[sensor];
    Vector lambda = Vector::Zero(n + 1);  // zero at node 0, where u is given
    lambda.tail(n) = rod_.newton.solve(load);
    // A cell's kappa enters the residuals of its two nodes, by plus and minus its flux.
    const Vector flux = rod_.conductance.cwiseProduct(rod_.u.tail(n) - rod_.u.head(n));
    return -flux.cwiseProduct(lambda.tail(n) - lambda.head(n));
  }

 private:
  RodState rod_;
  Vector prediction_;
};

class Rod final : public inverse::ForwardModel {
 public:
  explicit Rod(Index cells) : cells_(cells) {}

  Index num_parameters() const override { return cells_; }
  Index num_predictions() const override { return cells_ / 2; }
  Vector predict(const Vector& kappa) const override { return read_sensors(solve_rod(kappa)); }
  std::unique_ptr<inverse::Linearization> linearize(const Vector& kappa) const override {
    RodState rod = solve_rod(kappa);
    Vector prediction = read_sensors(rod);
    return std::make_unique<RodLinearization>(std::move(rod), std::move(prediction));
  }

 private:
  /// P: sensor s is at node 2 s + 2.
  Vector read_sensors(const RodState& rod) const {
    Vector reading(num_predictions());
    for (Index sensor = 0; sensor < reading.size(); ++sensor) reading[sensor] = rod.u[2 * sensor + 2];
    return reading;
  }

  Index cells_;
};

// ---- 3. The weaker contract: only log p(y | kappa) and its gradient, for any noise model or black box ----
// Here an infrared camera counts photons at the sensors: y ~ Poisson(exposure u^4).

class PhotonCounts final : public inverse::LogLikelihood {
 public:
  PhotonCounts(Rod rod, Vector counts) : rod_(std::move(rod)), counts_(std::move(counts)) {}

  static constexpr double exposure = 1000;

  Index num_parameters() const override { return rod_.num_parameters(); }
  double value(const Vector& kappa) const override { return log_density(rod_.predict(kappa)); }

  double value_and_gradient(const Vector& kappa, Vector& gradient) const override {
    const auto rod = rod_.linearize(kappa);
    const auto u = rod->prediction().array();
    // d/du (y log(u^4) - exposure u^4), carried back through the solver
    gradient = rod->jacobian_transposed(4 * counts_.array() / u - 4 * exposure * u.cube());
    return log_density(rod->prediction());
  }

 private:
  double log_density(const Vector& u) const {
    if (!u.allFinite()) return -std::numeric_limits<double>::infinity();
    const Vector rate = exposure * u.array().pow(4);
    return (counts_.array() * rate.array().log() - rate.array()).sum();
  }

  Rod rod_;
  Vector counts_;
};

// ---- 4. Does the solver keep its promises? varimesh compares it with finite differences, and calls it from many
// threads ----

int main() {
  const Rod rod(32);
  varimesh::Random random(/*seed=*/1);
  const Vector kappa = 0.5 * random.normal_vector(rod.num_parameters());

  const auto model = inverse::check_forward_model(rod, kappa, random);
  std::printf("forward model\n");
  std::printf("  predict against linearize       %.1e relative error\n", model.prediction_error);
  std::printf("  Jacobian                        %.1e\n", model.derivative_error);
  std::printf("  adjoint                         %.1e\n", model.transposition_error);
  std::printf("  same on all threads             %s\n", model.same_on_threads ? "yes" : "NO");

  const Vector truth = Vector::Zero(rod.num_parameters());
  const Vector counts = (PhotonCounts::exposure * rod.predict(truth).array().pow(4)).round();
  const auto likelihood = inverse::check_log_likelihood(PhotonCounts(rod, counts), kappa, random);
  std::printf("log-likelihood\n");
  std::printf("  value, alone and with gradient  %.1e relative error\n", likelihood.value_error);
  std::printf("  gradient                        %.1e\n", likelihood.gradient_error);
  std::printf("  same on all threads             %s\n", likelihood.same_on_threads ? "yes" : "NO");

  const bool holds = model.holds() && likelihood.holds();
  std::printf("%s\n", holds ? "Both contracts hold: this solver is ready for inference." : "A contract is BROKEN.");
  if (!holds) return 1;

  // ---- 5. Inference: what do the photons say about the rod? ----
  std::vector<varimesh::Point> centroids;
  for (Index c = 0; c < rod.num_parameters(); ++c) centroids.emplace_back((c + 0.5) / rod.num_parameters(), 0, 0);
  const auto prior = std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.sigma = 0.5, .length_scale = {0.3, 0.3, 0.3}}, centroids, /*mean=*/0, /*jitter=*/1e-6);
  const inverse::Posterior posterior(std::make_shared<PhotonCounts>(rod, counts), prior);
  const auto fitted = variational::fit(posterior, {.family = variational::FamilyKind::full_covariance, .threads = 2});
  const bool converged = fitted.status == varimesh::result::FitStatus::converged;
  std::printf("inference\n");
  std::printf("  %s: %s\n", converged ? "converged" : "NOT CONVERGED", fitted.message.c_str());
  if (!converged) return 1;
  std::printf("  ELBO                            %.2f +- %.2f, %lld solves\n", fitted.elbo.value,
              fitted.elbo.standard_error, fitted.counts.forward_solves);
  variational::Evaluator evaluator(posterior, /*threads=*/2);
  const auto check = variational::check_importance(evaluator, *fitted.q, /*draws=*/1000, /*seed=*/1);
  std::printf("  %s\n", check.verdict.c_str());
  const Vector mean = fitted.q->mean(), sd = fitted.q->variance().cwiseSqrt();
  for (const Index c : {0, 15, 31})
    std::printf("  kappa[%2d]                       %+.2f +- %.2f   (truth 0)\n", c, mean[c], sd[c]);
  return 0;
}
