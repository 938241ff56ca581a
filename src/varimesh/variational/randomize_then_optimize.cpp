#include "varimesh/variational/randomize_then_optimize.h"

#include <Eigen/LU>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "varimesh/inverse/information_root.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/parallel.h"
#include "varimesh/random_streams.h"
#include "varimesh/variational/maximum_a_posteriori.h"

namespace varimesh::variational {
namespace {

/// Eigenvalues below do not change an sd by half a percent; weights account for them.
constexpr double least_eigenvalue = 0.01;
/// |T(w) - z| that is as good as zero: draws are moved by a twentieth of an sd in one direction of many.
constexpr double tolerance = 0.05;
constexpr int most_steps = 20;

/// What T is made of.
class Transport {
 public:
  /// Null if the model cannot be evaluated at the centre.
  static std::optional<Transport> create(Evaluator& evaluator, const Vector& centre) {
    double value = 0;
    Vector gradient;
    const Spectrum spectrum = curvature_at(evaluator, centre, value, gradient).spectrum();
    if (!std::isfinite(value) || !spectrum.values.allFinite()) return std::nullopt;
    Transport result(evaluator.posterior());
    const auto kept = static_cast<Eigen::Index>((spectrum.values.array() > least_eigenvalue).count());
    result.directions_ = spectrum.directions->rightCols(kept);
    result.shrink_ = (1 + spectrum.values.tail(kept).array()).rsqrt();
    result.moves_ = result.directions_;
    result.prior().multiply_root(result.moves_);
    Vector white = centre - result.prior().mean();
    result.prior().solve_root(white);
    const auto linearization = result.likelihood_->model().linearize(centre);
    result.slopes_ = result.slopes(*linearization);
    if (!result.slopes_.allFinite()) return std::nullopt;
    // U'T = 0 of the linearised model:  a - (1 + lambda)^-1 (a + B'S)  at the centre's a
    const Vector a = result.directions_.transpose() * white;
    const Vector gradient_along = a + result.slopes_.transpose() * result.residual(linearization->prediction());
    result.origin_ = a - result.shrink_.cwiseAbs2().cwiseProduct(gradient_along);
    return result;
  }

  Index rank() const { return static_cast<Index>(shrink_.size()); }

  /// From standard normal columns z: z <- m + R (z - U U'z), and U'z.
  Matrix split(Matrix& z) const {
    Matrix along = linalg::transposed_product(directions_, z);
    linalg::multiply(linalg::Transpose::no, linalg::Transpose::no, -1, directions_, along, 1, z);
    prior().multiply_root(z);
    z.colwise() += prior().mean();
    return along;
  }

  struct Draw {
    Vector kappa;
    double log_likelihood = 0;
    double log_ratio = 0;                    ///< of posterior and proposal, up to a constant
    Index evaluations = 0, derivatives = 0;  ///< of T
    bool found = false;
  };
  /// The solution of T(w) = z for what split() makes of z.
  Draw solve(const Eigen::Ref<const Vector>& across, const Eigen::Ref<const Vector>& along) const;

 private:
  explicit Transport(const inverse::Posterior& posterior)
      : posterior_(&posterior), likelihood_(posterior.gaussian_likelihood()), root_(likelihood_->observations()) {}

  const gaussian::Gaussian& prior() const { return posterior_->gaussian_prior()->gaussian(); }

  /// S
  Vector residual(const Vector& prediction) const {
    Vector result = prediction - likelihood_->observations().mean;
    root_.multiply(prediction, result);
    return result;
  }

  /// dS/dw U, some columns at a time.
  Matrix slopes(const inverse::Linearization& linearization) const {
    constexpr Eigen::Index width = 128;
    Matrix result(root_.size(), moves_.cols());
    for (Eigen::Index first = 0; first < moves_.cols(); first += width) {
      const Eigen::Index count = std::min(width, moves_.cols() - first);
      result.middleCols(first, count) = linearization.jacobian_block(moves_.middleCols(first, count));
    }
    root_.multiply(linearization.prediction(), result);
    return result;
  }

  /// T at w = U a + the part across.
  struct Point {
    Vector a;
    std::unique_ptr<inverse::Linearization> linearization;
    Vector defect;  ///< U'(T(w) - z)
    double norm = std::numeric_limits<double>::infinity();
  };
  Point evaluate(Vector a, const Eigen::Ref<const Vector>& across, const Eigen::Ref<const Vector>& along) const {
    Point point;
    point.a = std::move(a);
    point.linearization = likelihood_->model().linearize(across + moves_ * point.a);
    const Vector& prediction = point.linearization->prediction();
    if (!prediction.allFinite()) return point;
    // U'T = (1 + lambda)^-1/2 (a + B'S)
    point.defect = shrink_.cwiseProduct(point.a + slopes_.transpose() * residual(prediction)) - along;
    point.norm = point.defect.norm();
    return point;
  }

  /// U'T'(w) U = (1 + lambda)^-1/2 (I + B' dS/dw U)
  Eigen::PartialPivLU<Matrix> derivative(const Point& point) const {
    Matrix result = linalg::transposed_product(slopes_, slopes(*point.linearization));
    result.diagonal().array() += 1;
    return Eigen::PartialPivLU<Matrix>(shrink_.asDiagonal() * result);
  }

  const inverse::Posterior* posterior_;
  const inverse::GaussianLikelihood* likelihood_;
  inverse::InformationRoot root_;
  Matrix directions_;  ///< U
  Matrix moves_;       ///< R U
  Matrix slopes_;      ///< B
  Vector shrink_;      ///< (1 + lambda)^-1/2
  Vector origin_;      ///< U'w where U'T is zero in the linearised model
};

/// log det of a matrix; none unless the determinant is positive.
std::optional<double> log_determinant(const Eigen::PartialPivLU<Matrix>& factors) {
  const auto diagonal = factors.matrixLU().diagonal();
  const bool odd = ((diagonal.array() < 0).count() % 2 != 0) != (factors.permutationP().determinant() < 0);
  const double result = diagonal.cwiseAbs().array().log().sum();
  return odd || !std::isfinite(result) ? std::nullopt : std::optional(result);
}

Transport::Draw Transport::solve(const Eigen::Ref<const Vector>& across, const Eigen::Ref<const Vector>& along) const {
  // Broyden's method from the draw, and with the derivative, that a linear model would have. Where that does not halve
  // the defect, a damped step of Newton's: derivatives cost as many solves as there are directions.
  Draw draw;
  Point point = evaluate(origin_ + shrink_.cwiseProduct(along), across, along);
  draw.evaluations = 1;
  Matrix inverse = shrink_.asDiagonal();
  const auto try_step = [&](const Vector& step, double most) {
    Point next = evaluate(point.a + step, across, along);
    ++draw.evaluations;
    if (!(next.norm < most * point.norm)) return false;
    // N <- N + (s - N y) s'N / (s'N y)
    const Vector change = inverse * (next.defect - point.defect);
    inverse += (step - change) * ((step.transpose() * inverse) / step.dot(change)).eval();
    point = std::move(next);
    return true;
  };
  for (int step = 0; step < most_steps && std::isfinite(point.norm) && point.norm > tolerance; ++step) {
    if (inverse.allFinite() && try_step(-(inverse * point.defect), 0.5)) continue;
    inverse = derivative(point).inverse();
    ++draw.derivatives;
    const Vector direction = -(inverse * point.defect);
    bool moved = false;
    for (double length = 1; !moved && length > 0.01; length /= 2)
      moved = try_step(length * direction, 1 - 0.1 * length);
    if (!moved) return draw;
  }
  if (!(point.norm <= tolerance)) return draw;
  const std::optional<double> log_det = log_determinant(derivative(point));
  ++draw.derivatives;
  if (!log_det) return draw;  // T folds over: there is another w with the same z
  draw.found = true;
  draw.kappa = across + moves_ * point.a;
  draw.log_likelihood = inverse::log_likelihood(likelihood_->observations(), point.linearization->prediction());
  // log p(y | kappa) - 1/2 |w|^2 + 1/2 |T|^2 - log det T'; across U, w and T are the same
  draw.log_ratio =
      draw.log_likelihood - 0.5 * point.a.squaredNorm() + 0.5 * (along + point.defect).squaredNorm() - *log_det;
  return draw;
}

/// Draws so far, and what they cost.
struct Gathered {
  std::vector<Transport::Draw> found;
  std::vector<double> log_ratios;
  Index tried = 0;
  long long evaluations = 0, derivatives = 0;

  Index count() const { return static_cast<Index>(found.size()); }
  diagnostics::PsisResult weights() const {
    return diagnostics::psis(Eigen::Map<const Vector>(log_ratios.data(), std::ssize(log_ratios)));
  }

  /// Adds so many draws, as far as there are solutions.
  void add(const Transport& transport, Index count, Index unknowns, Random& random, int threads) {
    Matrix across = random.normal_matrix(unknowns, count);
    const Matrix along = transport.split(across);
    std::vector<Transport::Draw> draws(static_cast<std::size_t>(count));
    parallel_for(count, threads,
                 [&](Index s) { draws[static_cast<std::size_t>(s)] = transport.solve(across.col(s), along.col(s)); });
    for (Transport::Draw& draw : draws) {
      evaluations += draw.evaluations;
      derivatives += draw.derivatives;
      if (!draw.found) continue;
      log_ratios.push_back(draw.log_ratio);
      found.push_back(std::move(draw));
    }
    tried += count;
  }

  result::Counts counts(Index directions) const {
    return {.values = evaluations - derivatives,
            .jacobians = derivatives,
            .forward_solves = evaluations + derivatives * directions,
            .factorizations = evaluations};
  }
};

constexpr Index fewest = 20;  // draws of which weights say anything

ImportanceCheck check_weights(const Gathered& gathered, const inverse::Prior& prior) {
  ImportanceCheck check;
  const Index count = gathered.count();
  check.failures = gathered.tried - count;
  check.psis = gathered.weights();
  check.verdict = diagnostics::describe(check.psis);
  check.draws.resize(prior.size(), count);
  check.log_likelihood.resize(count);
  check.log_posterior.resize(count);
  check.log_weights = check.psis.log_weights;
  for (Index s = 0; s < count; ++s) {
    const Transport::Draw& draw = gathered.found[static_cast<std::size_t>(s)];
    check.draws.col(s) = draw.kappa;
    check.log_likelihood[s] = draw.log_likelihood;
    check.log_posterior[s] = draw.log_likelihood + prior.log_density(draw.kappa);
  }
  if (check.psis.verdict == diagnostics::Verdict::good)
    check.corrected = diagnostics::importance_moments(check.draws, check.psis);
  return check;
}

}  // namespace

RandomizedDraws randomize_then_optimize(Evaluator& evaluator, const Vector& centre, const RandomizeOptions& options) {
  constexpr Index width = 16;  // draws between two questions whether to go on
  RandomizedDraws result;
  std::optional<Transport> transport = Transport::create(evaluator, centre);
  if (!transport) return result;
  const Index n = evaluator.posterior().size();
  Random random(options.seed, random_streams::randomized);
  const auto may_proceed = [&](Index done) { return !options.proceed || options.proceed(done); };

  // The better the centre, the more even the weights: the mean of a few draws.
  Gathered pilot;
  while (pilot.tried < options.pilot && may_proceed(pilot.tried))
    pilot.add(*transport, std::min(width, options.pilot - pilot.tried), n, random, evaluator.threads());
  result.counts = pilot.counts(transport->rank());
  if (pilot.count() >= fewest) {
    const Vector weights = pilot.weights().log_weights.array().exp();
    Vector mean = Vector::Zero(n);
    for (Index s = 0; s < pilot.count(); ++s) mean += weights[s] * pilot.found[static_cast<std::size_t>(s)].kappa;
    if (std::optional<Transport> better = Transport::create(evaluator, mean)) transport = std::move(better);
  }

  Gathered draws;
  const auto wants_more = [&] {
    if (draws.tried < options.draws) return true;
    if (draws.tried >= options.most_draws || draws.count() < fewest) return false;
    const diagnostics::PsisResult so_far = draws.weights();
    return so_far.verdict == diagnostics::Verdict::good && so_far.effective_sample_size < options.effective;
  };
  while (wants_more() && may_proceed(pilot.tried + draws.tried)) {
    const Index until = draws.tried < options.draws ? options.draws : options.most_draws;
    draws.add(*transport, std::min(width, until - draws.tried), n, random, evaluator.threads());
  }
  result.directions = transport->rank();
  result.counts += draws.counts(transport->rank());
  if (draws.count() < fewest) return result;
  result.evaluations = static_cast<double>(draws.evaluations) / draws.tried;
  result.derivatives = static_cast<double>(draws.derivatives) / draws.tried;
  result.check = check_weights(draws, evaluator.posterior().prior());
  return result;
}

}  // namespace varimesh::variational
