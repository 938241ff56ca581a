// Your own solver in varimesh. The model here is a hot rod that cools by radiation,
//
//     -(exp(kappa) u')' + u^4 = 0 on (0, 1),   u(0) = 1,   u'(1) = 0,
//
// with one unknown kappa for each of n cells and a thermometer at every second node. It is nonlinear, and solved by
// Newton's method with a tridiagonal solver of its own: varimesh knows nothing of it but the classes it derives from.
#include <varimesh/inverse/contract.h>
#include <varimesh/inverse/gaussian_process.h>
#include <varimesh/mesh/generate.h>
#include <varimesh/run/record_on_mesh.h>
#include <varimesh/run/run_methods.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

using varimesh::Index;
using varimesh::Vector;
namespace inverse = varimesh::inverse;
namespace run = varimesh::run;

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

/// P: sensor s is at node 2 s + 2.
Vector read_sensors(const RodState& rod) {
  Vector reading(rod.conductance.size() / 2);
  for (Index sensor = 0; sensor < reading.size(); ++sensor) reading[sensor] = rod.u[2 * sensor + 2];
  return reading;
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

// ---- 4. What files and reports need to know: the mesh, what is measured and asked for, and what unknowns lead to ----

class RodProblem final : public run::InverseProblem {
 public:
  using InverseProblem::InverseProblem;

  run::Prediction predict(const Vector& kappa) const override {
    const RodState rod = solve_rod(kappa);
    const double heat = rod.conductance[0] * (rod.u[0] - rod.u[1]);  // that flows in on the left
    return {rod.u, read_sensors(rod), Vector::Constant(1, heat), rod.u.allFinite()};
  }
};

/// The rod as files and reports have it, with what its sensors measured.
varimesh::result::ProblemRecord describe(Index cells, const Vector& measured, const Vector& sigma) {
  auto record = run::record_on_cells(varimesh::mesh::create_interval(cells));
  record.labels = {.title = "A rod that radiates", .u = "temperature", .conductivity = "conductivity"};
  record.words = {.equation = "-(exp(kappa) u')' + u^4 = 0, u = 1 on the left, insulated on the right.",
                  .prior = "A Gaussian process with Matern-3/2 kernel, mean 0, sd 0.5, length-scale 0.3."};
  for (Index s = 0; s < measured.size(); ++s) record.sensors.points.push_back(record.mesh.nodes[2 * s + 2]);
  record.sensors.mean = measured;
  record.sensors.sigma = sigma;
  record.sensors.count = Vector::Ones(measured.size());
  record.quantities = {{"heat", "heat that flows in on the left"}};
  return record;
}

// ---- 5. Does the solver keep its promises? varimesh compares it with finite differences, and calls it from many
// threads ----

bool check(const Rod& rod, const PhotonCounts& photons, varimesh::Random& random) {
  const Vector kappa = 0.5 * random.normal_vector(rod.num_parameters());
  const auto model = inverse::check_forward_model(rod, kappa, random);
  std::printf("forward model\n");
  std::printf("  predict against linearize       %.1e relative error\n", model.prediction_error);
  std::printf("  Jacobian                        %.1e\n", model.derivative_error);
  std::printf("  adjoint                         %.1e\n", model.transposition_error);
  std::printf("  same on all threads             %s\n", model.same_on_threads ? "yes" : "NO");

  const auto likelihood = inverse::check_log_likelihood(photons, kappa, random);
  std::printf("log-likelihood\n");
  std::printf("  value, alone and with gradient  %.1e relative error\n", likelihood.value_error);
  std::printf("  gradient                        %.1e\n", likelihood.gradient_error);
  std::printf("  same on all threads             %s\n", likelihood.same_on_threads ? "yes" : "NO");

  const bool holds = model.holds() && likelihood.holds();
  std::printf("%s\n", holds ? "Both contracts hold: this solver is ready for inference." : "A contract is BROKEN.");
  return holds;
}

// ---- 6. Inference: one call writes summary.json, posterior.nc, fields.vtu and report.html ----

bool infer(const std::filesystem::path& directory, const RodProblem& problem, const inverse::Posterior& posterior,
           std::vector<run::Method> methods) {
  run::MethodConfig settings;
  settings.use = std::move(methods);
  const run::RunResult found = run::run_methods(directory, problem, posterior, settings,
                                                {.threads = 2, .replace = true, .command = "own_solver"});
  for (const auto& method : found.methods) {
    if (!method.has_answer()) return false;
    const auto& heat = method.quantities[0];
    std::printf("%s: heat %.3f +- %.3f, in %.2f s. %s\n", method.name.c_str(), heat.mean, heat.sd, method.seconds,
                varimesh::result::verdict(method.trust, {"heat"}).c_str());
  }
  std::printf("  see %s\n", found.conclusion.report->string().c_str());
  return true;
}

int main() {
  constexpr Index cells = 32;
  const Rod rod(cells);
  varimesh::Random random(/*seed=*/1);
  const Index sensors = rod.num_predictions();

  // Made-up data of a rod that conducts worse towards its middle.
  Vector truth(cells);
  for (Index c = 0; c < cells; ++c) truth[c] = -0.8 * std::sin(3.14159 * (c + 0.5) / cells);
  const Vector u = rod.predict(truth);
  const Vector sigma = Vector::Constant(sensors, 0.01);
  const Vector thermometers = u + sigma.cwiseProduct(random.normal_vector(sensors));
  const Vector counts = (PhotonCounts::exposure * u.array().pow(4)).round();

  const auto photons = std::make_shared<PhotonCounts>(rod, counts);
  if (!check(rod, *photons, random)) return 1;

  // By thermometers: the forward model with normal noise.
  const auto observations = inverse::observe_means(thermometers, Vector::Ones(sensors), sigma);
  const RodProblem warm(describe(cells, thermometers, sigma), observations);
  const auto prior = std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.sigma = 0.5, .length_scale = {0.3, 0.3, 0.3}}, warm.record().positions, /*mean=*/0,
      /*jitter=*/1e-6);
  const inverse::Posterior by_thermometers(
      std::make_shared<inverse::GaussianLikelihood>(std::make_shared<Rod>(rod), observations), prior);
  std::printf("by thermometers\n");
  if (!infer("rod-thermometers", warm, by_thermometers, {run::Method::automatic, run::Method::nuts})) return 1;

  // By photons: a black box. What they say of u, about: u^4 = count / exposure, known to 1 / sqrt(count).
  const Vector seen = (counts / PhotonCounts::exposure).array().pow(0.25);
  const RodProblem glowing(describe(cells, seen, seen.array() / (4 * counts.array().sqrt())));
  std::printf("by photons\n");
  return infer("rod-photons", glowing, {photons, prior}, {run::Method::fcvb}) ? 0 : 1;
}
