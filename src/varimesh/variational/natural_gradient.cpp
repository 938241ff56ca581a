#include "varimesh/variational/natural_gradient.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "varimesh/cancellation.h"
#include "varimesh/constants.h"
#include "varimesh/error.h"
#include "varimesh/number_words.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/elbo.h"
#include "varimesh/variational/natural_families.h"
#include "varimesh/variational/natural_step.h"
#include "varimesh/variational/stein_curvature.h"

namespace varimesh::variational {
namespace {

using result::FitStatus;

/// q, and the posterior seen from draws of it.
struct State {
  std::unique_ptr<GaussianFamily> q;
  Matrix deviation;  ///< of the draws from the mean
  Vector value;      ///< log p(y | kappa) at each draw
  Vector terms;      ///< log p(y | kappa) + log prior - log q at each draw
  double prior_at_mean = 0;
  Vector gradient;  ///< of the expected log posterior by the mean
  std::unique_ptr<Curvature> curvature;
  std::optional<SteinCurvature> stein;  ///< of a black box

  bool good() const { return value.allFinite(); }
};

/// Mean and standard error over antithetic pairs.
struct Estimate {
  double mean, standard_error;
};

Estimate over_pairs(const Vector& terms) {
  const Vector means = pair_means(terms);
  const auto pairs = static_cast<double>(means.size());
  const double mean = means.mean();
  return {mean, std::sqrt((means.array() - mean).square().sum() / (pairs * (pairs - 1)))};
}

Index num_samples(const NaturalGradientOptions& options, const inverse::Posterior& posterior) {
  const bool few = posterior.size() >= large_problem && posterior.gaussian_likelihood();
  return options.samples.value_or(few ? 8 : 16);
}

/// If it is interrupted, q stays where it was.
State evaluate(Evaluator& evaluator, std::unique_ptr<GaussianFamily>&& q, const Matrix& z,
               const std::optional<SteinCurvature>& stein, double stein_scale, const NaturalGradientOptions& options) {
  const inverse::Posterior& posterior = evaluator.posterior();
  const inverse::GaussianPrior& prior = *posterior.gaussian_prior();
  State state;
  const Matrix kappa = q->transform(z);
  state.deviation = kappa.colwise() - q->mean();
  Matrix gradients;
  if (stein) {
    state.value = evaluator.values_and_gradients(kappa, gradients);
    state.stein = stein;
    if (state.good()) state.stein->update(*q, z, state.deviation, gradients, stein_scale);
    state.curvature = std::make_unique<Curvature>(state.stein->curvature());
  } else {
    Evaluator::Linearized at = evaluator.linearize(kappa, options.max_samples, 0.02 * options.tolerance);
    state.value = std::move(at.values);
    gradients = std::move(at.gradients);
    state.curvature = std::make_unique<Curvature>(std::move(at.curvature));
  }
  // log q(kappa_s) = constant - 1/2 |z_s|^2
  const double constant = q->gaussian().log_density_of_white(0);
  state.terms = state.value + prior.gaussian().log_densities(kappa);
  state.terms.array() -= constant - 0.5 * z.colwise().squaredNorm().transpose().array();
  Vector prior_gradient;
  state.prior_at_mean = prior.log_density_and_gradient(q->mean(), prior_gradient);
  state.gradient = gradients.rowwise().mean() + prior_gradient;
  state.q = std::move(q);
  return state;
}

/// What a step changed in the ELBO. With common draws z, and with the quadratic model's part known exactly, little
/// randomness is left:  E[log p(y|kappa)] = mean of (log p(y|kappa_s) + 1/2 x_s' H x_s) - 1/2 tr(H Sigma).
Estimate elbo_change(const State& before, const State& after, double precision_gain) {
  const Vector model = before.curvature->quadratic(after.deviation) - before.curvature->quadratic(before.deviation);
  Estimate change = over_pairs(after.value - before.value + 0.5 * model);
  change.mean += precision_gain + after.prior_at_mean - before.prior_at_mean;
  return change;
}

/// The same with fresh draws: the difference of two estimates.
Estimate elbo_difference(const State& before, const State& after) {
  const Estimate a = over_pairs(before.terms), b = over_pairs(after.terms);
  return {b.mean - a.mean, std::hypot(a.standard_error, b.standard_error)};
}

/// The iteration.
class Ascent {
 public:
  Ascent(Evaluator& evaluator, const NaturalGradientOptions& options, const Curvature& start_curvature)
      : evaluator_(evaluator),
        options_(options),
        start_curvature_(start_curvature),
        samples_(num_samples(options, evaluator.posterior())) {}

  /// Until it ends by itself, or is interrupted.
  NaturalGradientResult run(std::unique_ptr<GaussianFamily> start, const result::FitObserver& observer) {
    state_.q = std::move(start);
    try {
      return climb(observer);
    } catch (const Interrupted&) {
      return finish(FitStatus::interrupted,
                    trace_.empty() ? "stopped on request before the first iteration: this is where it would have begun"
                                   : "stopped on request after " + counted(std::ssize(trace_), "iteration"));
    }
  }

 private:
  static constexpr double min_scale = 1.0 / 64;
  static constexpr Index max_fixed_iterations = 20;  ///< with the same z
  static constexpr Index many_samples = 64;

  NaturalGradientResult climb(const result::FitObserver& observer) {
    if (!begin())
      return finish(FitStatus::diverged, "the model fails at draws of the start, however close to its mean");
    for (Index iteration = 1; iteration <= options_.max_iterations; ++iteration) {
      if (!step_) {
        // The inner iteration of a sparse family need not be much more exact than the rest.
        const double inner_tolerance = std::max(options_.tolerance, left_) / 50;
        step_ =
            natural_step(*state_.q, prior(), *state_.curvature, state_.gradient, inner_tolerance, evaluator_.threads());
      }
      std::optional<NaturalStep::Candidate> candidate;
      if (step_ && step_->direction().allFinite()) {
        while (!(candidate = step_->take(scale_ * weight_, scale_)) && scale_ > 1e-6) scale_ /= 2;
      }
      if (!candidate) return finish(FitStatus::diverged, "the precision matrix stopped being positive definite");
      // The curvature is an average already, in which this iteration's draws have the weight of the step.
      const double precision_promise =
          candidate->gain / (scale_ * (2 - scale_) * curvature_weight() * curvature_weight());
      const double last_promise = promise_;
      promise_ = 0.5 * state_.gradient.dot(step_->direction()) + precision_promise;
      const Estimate elbo = over_pairs(state_.terms);
      trace_.push_back(
          {iteration, samples_, elbo.mean, elbo.standard_error, scale_ * weight_, promise_, watch_.seconds()});
      if (observer && !observer(trace_.back())) return finish(FitStatus::interrupted, "stopped on request");
      if (!std::isfinite(promise_)) return finish(FitStatus::diverged, "the step is not finite");

      left_ = averaging_ ? std::midpoint(last_promise, promise_) * weight_ + drift(step_->direction()) : promise_;
      if (averaging_ && all_samples_ > samples_ && left_ < options_.tolerance) {
        state_.q = std::move(candidate->q);
        return finish(FitStatus::converged, fmt::format("about {:.1g} nats are left to gain", left_));
      }
      const bool settled = promise_ < 1 || (iteration > 1 && promise_ > 0.5 * last_promise && scale_ == 1);
      if (averaging_ || settled || iteration == max_fixed_iterations) {
        if (!average(std::move(*candidate)))
          return finish(FitStatus::diverged, "the ELBO falls with every step, however short");
      } else {
        advance(std::move(*candidate));
        if (is_stuck())
          return finish(FitStatus::diverged,
                        fmt::format("no step improves the ELBO, although {:.2g} nats are promised", promise_));
      }
    }
    return finish(FitStatus::iteration_limit, fmt::format("after {} about {:.2g} nats are left to gain",
                                                          counted(options_.max_iterations, "iteration"), left_));
  }

  const inverse::GaussianPrior& prior() const { return *evaluator_.posterior().gaussian_prior(); }
  bool black_box() const { return !evaluator_.posterior().gaussian_likelihood(); }
  double curvature_weight() const { return black_box() ? 1 : weight_; }

  Matrix fresh_normals() {
    Random random(options_.seed, stage_++);
    return antithetic_normals(prior().size(), samples_, random);
  }

  /// Shrinks the start until the model can be evaluated around it.
  bool begin() {
    z_ = fresh_normals();
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::optional<SteinCurvature> stein;
      if (black_box()) stein.emplace(*state_.q, prior(), start_curvature_, evaluator_.threads());
      state_ = evaluate(evaluator_, std::move(state_.q), z_, stein, 1, options_);
      if (state_.good()) {
        remember();
        return true;
      }
      state_.q = state_.q->scaled(0.5);
    }
    return false;
  }

  /// With the same z: moves to the candidate, or shortens the step if the ELBO falls by more than its randomness
  /// explains.
  void advance(NaturalStep::Candidate candidate) {
    // A black box's curvature needs fresh z.
    if (black_box()) z_ = fresh_normals();
    State next = evaluate(evaluator_, std::move(candidate.q), z_, state_.stein, 1, options_);
    const Estimate change = !next.good()  ? Estimate{-infinity, 0}
                            : black_box() ? elbo_difference(state_, next)
                                          : elbo_change(state_, next, candidate.gain);
    if (change.mean > -2 * change.standard_error - 0.1 * options_.tolerance) {
      accept(std::move(next));
    } else {
      reject();
    }
  }

  /// Whether no step improves, however short, even when looked at closely.
  bool is_stuck() { return scale_ < min_scale && !look_closer(); }

  /// No step seems to improve: with so few draws a good one may look bad. More of them, from where we are; false if
  /// there are many already.
  bool look_closer() {
    if (samples_ >= many_samples || 2 * samples_ > options_.max_samples) return false;
    samples_ *= 2;
    z_ = fresh_normals();
    State again = evaluate(evaluator_, state_.q->scaled(1), z_, state_.stein, 1, options_);
    if (!again.good()) return false;
    scale_ = 0.125;
    accept(std::move(again));
    return true;
  }

  /// With fresh z: moves on, and averages the curvature. False if even short steps fall.
  bool average(NaturalStep::Candidate candidate) {
    // Values at the z that were optimised for are too high to compare with.
    const bool comparable = averaging_;
    if (!averaging_) {
      averaging_ = true;
      scale_ = 1;
    } else if (left_ > 20 * options_.tolerance) {
      // Very many iterations would be needed: larger ones have less overhead.
      samples_ = std::min(2 * samples_, options_.max_samples);
    }
    const double weight = static_cast<double>(samples_) / static_cast<double>(all_samples_ + samples_);
    z_ = fresh_normals();
    State next = evaluate(evaluator_, std::move(candidate.q), z_, state_.stein, std::sqrt(weight), options_);
    // A fall that randomness does not explain: a shorter step from where we were.
    const Estimate change = next.good() ? elbo_difference(state_, next) : Estimate{-infinity, 0};
    if (!next.good() || (comparable && !(change.mean > -4 * change.standard_error - promise_))) {
      reject();
      return scale_ > min_scale;
    }
    all_samples_ += samples_;
    weight_ = weight;
    if (!black_box()) {
      state_.curvature->average(*next.curvature, weight_);
      next.curvature = std::move(state_.curvature);
    }
    accept(std::move(next));
    return true;
  }

  void accept(State next) {
    step_.reset();
    state_ = std::move(next);
    scale_ = std::min(1.0, 2 * scale_);
    remember();
  }

  /// What the ELBO is at least, with some certainty.
  double certain_elbo() const {
    const Estimate elbo = over_pairs(state_.terms);
    return elbo.mean - 2 * elbo.standard_error;
  }

  /// Keeps the q of the largest of these.
  void remember() {
    const double at_least = certain_elbo();
    if (!(at_least > best_elbo_)) return;
    best_elbo_ = at_least;
    best_ = state_.q->scaled(1);
  }

  /// The next iteration takes less of the same step.
  void reject() {
    scale_ /= 2;
    last_direction_.resize(0);
  }

  /// What is left to gain besides randomness. If it is randomness alone that moves the mean, this iteration's gradient
  /// g and the last one's step P^-1 g are independent, and their product has mean zero.
  double drift(const Vector& direction) {
    if (last_direction_.size() > 0) products_.push_back(0.5 * state_.gradient.dot(last_direction_));
    last_direction_ = direction;
    // The later half.
    const std::size_t count = (products_.size() + 1) / 2;
    if (count < 2) return 0;
    const auto recent =
        Eigen::Map<const Vector>(products_.data() + products_.size() - count, static_cast<Eigen::Index>(count));
    const double mean = recent.mean();
    const double scatter = (recent.array() - mean).square().sum();
    const auto number = static_cast<double>(count);
    return std::max(0.0, mean - std::sqrt(scatter / (number * (number - 1))));
  }

  NaturalGradientResult finish(FitStatus status, std::string message) {
    if (status == FitStatus::diverged && best_ && !(certain_elbo() > best_elbo_ - 1)) {
      state_.q = std::move(best_);
      message += "; an earlier and better distribution is returned";
    }
    return {std::move(state_.q), status, std::move(message), std::move(trace_), std::move(state_.curvature)};
  }

  Evaluator& evaluator_;
  const NaturalGradientOptions& options_;
  const Curvature& start_curvature_;
  Index samples_;
  std::uint64_t stage_ = 0;
  Matrix z_;
  State state_;
  std::unique_ptr<NaturalStep> step_;  ///< from this state; it refers to it
  double scale_ = 1;                   ///< of all steps, to guard against falling
  double weight_ = 1;                  ///< of this iteration's draws in the average
  double promise_ = 0;                 ///< nats that a full step from this iteration's draws promises
  double left_ = 0;                    ///< nats that q may be short of the best
  bool averaging_ = false;
  std::unique_ptr<GaussianFamily> best_;
  double best_elbo_ = -infinity;  ///< at least that of best_
  Vector last_direction_;
  std::vector<double> products_;  ///< 1/2 g_k' P^-1 g_(k-1) since averaging began
  long long all_samples_ = 0;     ///< since averaging began
  std::vector<result::TracePoint> trace_;
  Stopwatch watch_;
};

void require(const Evaluator& evaluator, const NaturalGradientOptions& options) {
  const inverse::Posterior& posterior = evaluator.posterior();
  if (!posterior.gaussian_prior()) throw InputError("natural gradients need a normal prior; use Adam for others");
  const Index samples = num_samples(options, posterior);
  if (samples < 4 || samples % 2 != 0)
    throw InputError(fmt::format("expected an even number of 4 or more samples, found {}", samples));
  if (options.max_samples < samples)
    throw InputError(fmt::format("expected max_samples of at least {}, found {}", samples, options.max_samples));
  if (options.max_iterations < 1)
    throw InputError(fmt::format("expected 1 or more iterations, found {}", options.max_iterations));
  if (!(options.tolerance > 0))
    throw InputError(fmt::format("expected a positive tolerance, found {}", options.tolerance));
}

}  // namespace

NaturalGradientResult natural_gradient(Evaluator& evaluator, std::unique_ptr<GaussianFamily> start,
                                       const Curvature& start_curvature, const NaturalGradientOptions& options,
                                       const result::FitObserver& observer) {
  require(evaluator, options);
  return Ascent(evaluator, options, start_curvature).run(std::move(start), observer);
}

}  // namespace varimesh::variational
