#include "varimesh/variational/adam.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/inverse/gaussian_mixture_prior.h"
#include "varimesh/variational/elbo.h"
#include "varimesh/variational/mean_field.h"
#include "varimesh/variational/mixture.h"

namespace varimesh::variational {
namespace {

using result::FitStatus;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void require(bool condition, const char* option, const char* expected, double found) {
  if (!condition) throw InputError(fmt::format("Adam's {}: expected {}, found {}", option, expected, found));
}

void check(const AdamOptions& options) {
  require(options.samples >= 1, "samples", "at least 1", options.samples);
  require(options.max_steps >= 0, "max_steps", "at least 0", options.max_steps);
  require(options.learning_rate > 0 && std::isfinite(options.learning_rate), "learning_rate", "a positive number",
          options.learning_rate);
  require(options.decay > 0 && options.decay <= 1, "decay", "a number above 0 and up to 1", options.decay);
  require(options.decay_every >= 0, "decay_every", "at least 0", options.decay_every);
  require(options.beta1 >= 0 && options.beta1 < 1, "beta1", "a number from 0 to below 1", options.beta1);
  require(options.beta2 >= 0 && options.beta2 < 1, "beta2", "a number from 0 to below 1", options.beta2);
  require(options.epsilon > 0, "epsilon", "a positive number", options.epsilon);
  require(options.tolerance >= 0, "tolerance", "at least 0", options.tolerance);
  require(options.trace_every >= 1, "trace_every", "at least 1", options.trace_every);
}

/// The mean of values of which a control variate, of mean zero, explains some of the noise.
class ControlledMean {
 public:
  void add(double value, double control) {
    const double share = 1 / ++count_, weight = 1 - share, dv = value - value_, dc = control - control_;
    value_ += share * dv;
    control_ += share * dc;
    values_ += weight * dv * dv;
    controls_ += weight * dc * dc;
    both_ += weight * dv * dc;
  }

  double count() const { return count_; }
  /// The line through the values at control 0, and its standard error.
  double mean() const { return value_ - slope() * control_; }
  double standard_error() const {
    const double freedom = count_ - (controls_ > 0 ? 2 : 1);
    if (freedom <= 0) return std::numeric_limits<double>::infinity();
    // s^2 (1/n + mean(c)^2 / sum (c - mean(c))^2),  s^2 = scatter / degrees of freedom
    const double leverage = 1 / count_ + (controls_ > 0 ? control_ * control_ / controls_ : 0);
    return std::sqrt(std::max(0.0, values_ - slope() * both_) / freedom * leverage);
  }

 private:
  double slope() const { return controls_ > 0 ? both_ / controls_ : 0; }

  double count_ = 0, value_ = 0, control_ = 0;   // the number, and the two means
  double values_ = 0, controls_ = 0, both_ = 0;  // sums of products of deviations from them
};

/// The log-likelihood at draws; on several threads only if that takes longer than to start them.
class Model {
 public:
  explicit Model(Evaluator& evaluator) : evaluator_(evaluator) {}

  Vector values(const Matrix& kappa) {
    if (is_slow()) return evaluator_.values(kappa);
    Vector values(kappa.cols());
    // A single column is evaluated on this thread.
    for (Eigen::Index s = 0; s < kappa.cols(); ++s) values[s] = evaluator_.values(kappa.col(s))[0];
    return values;
  }

  Vector values_and_gradients(const Matrix& kappa, Matrix& gradients) {
    if (is_slow()) return evaluator_.values_and_gradients(kappa, gradients);
    const auto begin = Clock::now();
    Vector values(kappa.cols());
    gradients.resize(kappa.rows(), kappa.cols());
    for (Eigen::Index s = 0; s < kappa.cols(); ++s) {
      values[s] = evaluator_.values_and_gradients(kappa.col(s), gradient_)[0];
      gradients.col(s) = gradient_;
    }
    constexpr double worth_threads = 1e-3;  // seconds; to start a thread takes some 1e-5
    times_slow_ = seconds_since(begin) > worth_threads ? times_slow_ + 1 : 0;
    return values;
  }

 private:
  bool is_slow() const { return times_slow_ >= 3; }

  Evaluator& evaluator_;
  Matrix gradient_;
  int times_slow_ = 0;
};

/// A component of a mixture prior, as a prior of its own.
class ComponentPrior final : public inverse::GaussianPrior {
 public:
  explicit ComponentPrior(std::shared_ptr<const gaussian::Gaussian> gaussian)
      : gaussian_(std::move(gaussian)), precision_diagonal_(gaussian_->precision_diagonal()) {}

  const gaussian::Gaussian& gaussian() const override { return *gaussian_; }
  const inverse::SparseMatrix* sparse_precision() const override { return nullptr; }
  const Vector& precision_diagonal() const override { return precision_diagonal_; }

 private:
  std::shared_ptr<const gaussian::Gaussian> gaussian_;
  Vector precision_diagonal_;
};

/// The ELBO by draws of q, with a control variate for each, and its gradient. Derivatives of log q by its parameters at
/// a given kappa have mean zero and are left out: what remains comes through kappa.
class Objective {
 public:
  explicit Objective(Evaluator& evaluator) : posterior_(evaluator.posterior()), model_(evaluator) {
    if (const inverse::GaussianPrior* prior = posterior_.gaussian_prior()) {
      priors_ = {prior};
      log_weights_ = Vector::Zero(1);
    } else if (const auto* several = dynamic_cast<const inverse::GaussianMixturePrior*>(&posterior_.prior())) {
      for (const auto& component : several->components()) {
        components_.push_back(std::make_unique<ComponentPrior>(component));
        priors_.push_back(components_.back().get());
      }
      log_weights_ = several->weights().array().log();
    }
  }

  /// From draws by z.
  void evaluate(const Family& q, const Matrix& z) {
    const Matrix kappa = q.transform(z);
    value_ = model_.values(kappa);
    add_divergence(q, z, kappa, false);
  }

  /// The same with the gradient by q's parameters; false if no draw was good.
  bool evaluate_with_gradient(const Family& q, const Matrix& z) {
    const Matrix kappa = q.transform(z);
    value_ = model_.values_and_gradients(kappa, slope_);
    add_divergence(q, z, kappa, true);
    good_ = 0;
    for (Eigen::Index s = 0; s < z.cols(); ++s) {
      if (std::isfinite(value_[s]) && slope_.col(s).allFinite()) {
        ++good_;
      } else {
        value_[s] = -std::numeric_limits<double>::infinity();
        slope_.col(s).setZero();
      }
    }
    if (good_ == 0) return false;
    gradient_ = q.pull_back(z, slope_) / good_;
    if (divergence_gradient_.size() > 0) gradient_ -= divergence_gradient_;
    return gradient_.allFinite();
  }

  /// For each draw; not finite where the model fails.
  const Vector& value() const { return value_; }
  const Vector& control() const { return control_; }
  Index good() const { return good_; }
  const Vector& gradient() const { return gradient_; }

 private:
  /// The draws of one component of q.
  struct Group {
    const GaussianFamily& q;
    Index number, count;  ///< which, of how many
    Eigen::Index first;   ///< its first column
    Matrix z, kappa;
  };

  void add_divergence(const Family& q, const Matrix& z, const Matrix& kappa, bool with_gradient) {
    const auto* normal = dynamic_cast<const GaussianFamily*>(&q);
    const auto* mixture = dynamic_cast<const Mixture*>(&q);
    control_.setZero(z.cols());
    divergence_gradient_.resize(0);
    if (priors_.empty() || (!normal && !mixture)) {
      add_log_ratios(q, z, kappa, with_gradient);
      return;
    }
    // ELBO = 1/J sum_j E_j[log p(y | kappa) + log prior - log q_j - (log q - log q_j)] for J components
    const Index components = q.num_components();
    const Eigen::Index size = z.cols() / components;
    if (share_.cols() != components) share_ = log_weights_.array().exp().matrix().replicate(1, components);
    for (Index j = 0; j < components; ++j) {
      const Group group{normal ? *normal : mixture->component(j), j, components, j * size, z.middleCols(j * size, size),
                        kappa.middleCols(j * size, size)};
      subtract_divergences(group, with_gradient);
      if (!mixture) continue;
      value_.segment(group.first, size) -= q.log_densities(group.kappa) - group.q.log_densities(group.kappa);
      if (with_gradient)
        slope_.middleCols(group.first, size) -=
            q.log_density_gradients(group.kappa) - group.q.log_density_gradients(group.kappa);
    }
  }

  /// E_j[log prior - log q_j] = -sum_k c_k KL(q_j || p_k) + E_j[log prior - sum_k c_k log p_k], for a prior of
  /// components p_k with weights w_k and any constants c_k of sum 1. For one component the second term is zero. For
  /// several it has little noise if c_k is the share of the draws that p_k accounts for: that of recent steps. Of sum_k
  /// c_k log p_k - log q_j the mean is minus the first sum, which makes a control variate.
  void subtract_divergences(const Group& group, bool with_gradient) {
    const Eigen::Index size = group.z.cols(), parts = log_weights_.size();
    const Vector share = share_.col(group.number);
    auto value = value_.segment(group.first, size);
    auto control = control_.segment(group.first, size);
    control = 0.5 * group.z.colwise().squaredNorm().transpose();
    control.array() -= group.q.gaussian().log_density_of_white(0);
    Matrix log_parts(size, parts);  // log w_k p_k
    Vector gradient;
    for (Eigen::Index k = 0; k < parts; ++k) {
      const inverse::GaussianPrior& prior = *priors_[static_cast<std::size_t>(k)];
      const double divergence = with_gradient ? group.q.kl_divergence(prior, gradient) : group.q.kl_divergence(prior);
      if (with_gradient) {
        if (divergence_gradient_.size() == 0) divergence_gradient_.setZero(group.count * gradient.size());
        divergence_gradient_.segment(group.number * gradient.size(), gradient.size()) +=
            share[k] / group.count * gradient;
      }
      const Vector log_prior = prior.gaussian().log_densities(group.kappa);
      value.array() -= share[k] * divergence;
      control.array() += share[k] * (log_prior.array() + divergence);
      log_parts.col(k) = log_prior.array() + log_weights_[k];
    }
    if (parts == 1) return;
    // r_k = w_k p_k / sum_l w_l p_l
    const Vector largest = log_parts.rowwise().maxCoeff();
    Matrix responsibility = (log_parts.colwise() - largest).array().exp();
    const Vector sum = responsibility.rowwise().sum();
    responsibility.array().colwise() /= sum.array();
    value += largest + sum.array().log().matrix() - (log_parts.rowwise() - log_weights_.transpose()) * share;
    if (!with_gradient) return;
    for (Eigen::Index k = 0; k < parts; ++k) {
      // grad log p_k = -Q_k (kappa - m_k)
      const gaussian::Gaussian& part = priors_[static_cast<std::size_t>(k)]->gaussian();
      const Vector weight = responsibility.col(k).array() - share[k];
      slope_.middleCols(group.first, size) -=
          part.precision_times(group.kappa.colwise() - part.mean()) * weight.asDiagonal();
    }
    constexpr double memory = 0.9;
    const Vector now = responsibility.colwise().mean().transpose();
    if (now.allFinite()) share_.col(group.number) += (1 - memory) * (now - share);
  }

  /// E[log prior - log q], for any prior.
  void add_log_ratios(const Family& q, const Matrix& z, const Matrix& kappa, bool with_gradient) {
    if (const auto* normal = dynamic_cast<const GaussianFamily*>(&q)) {
      // From z, without rounding:  log q = constant - |z|^2 / 2,  grad log q = -R^-T z
      value_ += 0.5 * z.colwise().squaredNorm().transpose();
      value_.array() -= normal->gaussian().log_density_of_white(0);
      Matrix white = z;
      if (with_gradient) {
        normal->gaussian().solve_root_transposed(white);
        slope_ += white;
      }
    } else {
      value_ -= q.log_densities(kappa);
      if (with_gradient) slope_ -= q.log_density_gradients(kappa);
    }
    Vector gradient;
    for (Eigen::Index s = 0; s < kappa.cols(); ++s) {
      if (with_gradient) {
        value_[s] += posterior_.prior().log_density_and_gradient(kappa.col(s), gradient);
        slope_.col(s) += gradient;
      } else {
        value_[s] += posterior_.prior().log_density(kappa.col(s));
      }
    }
  }

  const inverse::Posterior& posterior_;
  Model model_;
  std::vector<std::unique_ptr<ComponentPrior>> components_;
  std::vector<const inverse::GaussianPrior*> priors_;  ///< the prior's components, if they are normal
  Vector log_weights_;
  Matrix share_;  ///< c_k for each component of q
  Index good_ = 0;
  Vector value_, control_, gradient_, divergence_gradient_;
  Matrix slope_;
};

/// Adam's state: the parameters, running means of their gradient and of its square, and the mean of the iterates.
class Iterate {
 public:
  Iterate(Vector start, const AdamOptions& options)
      : options_(options),
        parameters_(std::move(start)),
        mean_(parameters_),
        first_(Vector::Zero(parameters_.size())),
        second_(first_) {}

  void ascend(const Vector& gradient, double learning_rate) {
    ++steps_;
    // m <- beta1 m + (1 - beta1) g,  v <- beta2 v + (1 - beta2) g^2
    first_ += (1 - options_.beta1) * (gradient - first_);
    second_ += (1 - options_.beta2) * (gradient.cwiseAbs2() - second_);
    // theta <- theta + rate m^ / (sqrt(v^) + epsilon),  m^ = m / (1 - beta1^t),  v^ = v / (1 - beta2^t)
    const double rate = learning_rate / (1 - std::pow(options_.beta1, steps_));
    const double scale = 1 / std::sqrt(1 - std::pow(options_.beta2, steps_));
    parameters_.array() += rate * first_.array() / (scale * second_.array().sqrt() + options_.epsilon);
    // Weights that grow as about t^8 (Shamir and Zhang 2013): the mean age is a tenth of the run.
    constexpr double power = 8;
    mean_ += (power + 1) / (power + steps_) * (parameters_ - mean_);
  }

  const Vector& parameters() const { return parameters_; }
  const Vector& mean() const { return mean_; }

 private:
  const AdamOptions& options_;
  Index steps_ = 0;
  Vector parameters_, mean_, first_, second_;
};

/// Compares the mean iterate with that at half as many steps.
class Progress {
 public:
  /// What happened since then.
  struct Gain {
    Index since = 0;    ///< the step then
    double travel = 0;  ///< the sum of the learning rates: so far can a parameter have moved
    double nats = 0, standard_error = 0;
    double slowness = 1;  ///< the first learning rate by the mean one

    /// At the first learning rate, in proportion.
    double scaled() const { return slowness * std::abs(nats); }
    double scaled_error() const { return slowness * standard_error; }
    /// In steps that sum to less no parameter can have gone far, and a small gain means nothing.
    bool is_known() const { return travel >= 5; }
    bool is_small(double tolerance) const { return is_known() && scaled() + 2 * scaled_error() < tolerance; }
  };

  explicit Progress(const AdamOptions& options) : options_(options) {}

  bool is_due(Index step) const { return step >= next_; }

  void measure(Objective& objective, std::unique_ptr<Family> mean_iterate, Index step, double travel) {
    constexpr std::size_t checks_in_half = 3;  // (5/4)^3 = 1.95
    next_ = step + std::max<Index>(1, step / 4);
    past_.push_back({std::move(mean_iterate), step, travel});
    if (past_.size() <= checks_in_half) return;
    const Mark &now = past_.back(), &then = past_.front();
    Gain gain{.since = then.step, .travel = now.travel - then.travel};
    gain.slowness = options_.learning_rate * (now.step - then.step) / gain.travel;
    compare(objective, *then.q, *now.q, step, gain);
    past_.pop_front();
    small_in_a_row_ = gain.is_small(options_.tolerance) ? small_in_a_row_ + 1 : 0;
    gain_ = gain;
  }

  bool has_converged() const { return small_in_a_row_ >= 2; }
  const std::optional<Gain>& gain() const { return gain_; }

 private:
  struct Mark {
    std::unique_ptr<Family> q;
    Index step;
    double travel;
  };

  /// The gain, at common draws: so many that it is clear whether it is below the tolerance, or a share of all so far.
  void compare(Objective& objective, const Family& then, const Family& now, Index step, Gain& gain) const {
    constexpr Index batch = 32;
    const Index components = now.num_components();
    const double most = 0.025 * options_.samples * components * step;
    // Its own stream; those of the steps count up from 1.
    Random random(options_.seed, ~static_cast<std::uint64_t>(step));
    ControlledMean difference;
    for (double draws = 0; draws == 0 || draws < most; draws += batch * components) {
      const Matrix z = antithetic_normals(now.size(), batch * components, random);
      objective.evaluate(then, z);
      const Vector value = objective.value(), control = objective.control();
      objective.evaluate(now, z);
      for (Eigen::Index s = 0; s < z.cols(); s += 2) {
        const auto pair_mean = [s](const Vector& a, const Vector& b) {
          return (a[s] - b[s] + a[s + 1] - b[s + 1]) / 2;
        };
        const double gained = pair_mean(objective.value(), value);
        if (std::isfinite(gained)) difference.add(gained, pair_mean(objective.control(), control));
      }
      gain.nats = difference.mean();
      gain.standard_error = difference.standard_error();
      const bool is_clear = std::abs(gain.scaled() - options_.tolerance) > 2 * gain.scaled_error();
      if (is_clear || !gain.is_known()) return;
    }
  }

  const AdamOptions& options_;
  Index next_ = 64, small_in_a_row_ = 0;
  std::deque<Mark> past_;
  std::optional<Gain> gain_;
};

std::string describe(const std::optional<Progress::Gain>& gain, double tolerance) {
  if (!gain) return "too few steps to measure whether the ELBO still rises";
  std::string text = fmt::format("the ELBO rose by {:.2g} +- {:.2g} nats since step {}", gain->nats,
                                 gain->standard_error, gain->since);
  const bool is_small = std::abs(gain->nats) + 2 * gain->standard_error < tolerance;
  if (is_small && !gain->is_known())
    text +=
        fmt::format(", but in steps so short that no parameter can have moved by more than about {:.1g}", gain->travel);
  else if (is_small && !gain->is_small(tolerance))
    text += fmt::format(", but the learning rate has fallen: at the first one that is {:.2g} +- {:.2g} in proportion",
                        gain->scaled(), gain->scaled_error());
  return text;
}

class Run {
 public:
  Run(Evaluator& evaluator, std::unique_ptr<Family> start, const AdamOptions& options,
      const result::FitObserver& observer)
      : options_(options),
        observer_(observer),
        q_(std::move(start)),
        objective_(evaluator),
        iterate_(q_->parameters(), options),
        progress_(options) {}

  AdamResult operator()() {
    std::optional<FitStatus> status;
    while (!status && step_ < options_.max_steps) {
      ++step_;
      status = step();
      const bool last = status || step_ == options_.max_steps;
      if ((last || step_ % options_.trace_every == 0) && !trace() && !status) {
        status = FitStatus::interrupted;
        result_.message = fmt::format("stopped by its observer after {} steps: {}", step_, measured());
      }
    }
    if (!status) result_.message = fmt::format("stopped after {} steps: {}", step_, measured());
    if (failed_draws_ > 0)
      result_.message += fmt::format("; the model failed at {:.2g} % of the draws, which were left out",
                                     100 * static_cast<double>(failed_draws_) / static_cast<double>(draws_));
    result_.status = status.value_or(FitStatus::iteration_limit);
    q_->set_parameters(iterate_.mean());
    result_.q = std::move(q_);
    return std::move(result_);
  }

 private:
  std::string measured() const { return describe(progress_.gain(), options_.tolerance); }

  Index decay_every() const {
    if (options_.decay_every > 0) return options_.decay_every;
    return dynamic_cast<const MeanField*>(q_.get()) ? 1000 : 2500;
  }
  double learning_rate() const {
    return options_.learning_rate * std::pow(options_.decay, (step_ - 1) / decay_every());
  }

  /// How the fit ends with this step, if it does.
  std::optional<FitStatus> step() {
    Random random(options_.seed, static_cast<std::uint64_t>(step_));
    Matrix z(q_->size(), options_.samples * q_->num_components());
    for (double& x : z.reshaped()) x = random.normal();
    const bool good = objective_.evaluate_with_gradient(*q_, z);
    draws_ += z.cols();
    failed_draws_ += z.cols() - objective_.good();
    if (!good) return fail();
    failures_in_a_row_ = 0;
    for (Eigen::Index s = 0; s < z.cols(); ++s) {
      if (std::isfinite(objective_.value()[s])) since_trace_.add(objective_.value()[s], objective_.control()[s]);
    }

    iterate_.ascend(objective_.gradient(), learning_rate());
    travel_ += learning_rate();
    if (!q_->set_parameters(iterate_.parameters())) {
      result_.message =
          fmt::format("the parameters left the range of numbers at step {}; try a smaller learning rate", step_);
      return FitStatus::diverged;
    }
    if (!progress_.is_due(step_)) return {};
    std::unique_ptr<Family> mean_iterate = q_->clone();
    mean_iterate->set_parameters(iterate_.mean());
    progress_.measure(objective_, std::move(mean_iterate), step_, travel_);
    if (!progress_.has_converged()) return {};
    result_.message = fmt::format("converged in {} steps: {}", step_, measured());
    return FitStatus::converged;
  }

  std::optional<FitStatus> fail() {
    constexpr Index too_many = 100;
    if (++failures_in_a_row_ < too_many) return {};
    result_.message =
        fmt::format("no finite value and gradient at any draw in {} steps, up to step {}", too_many, step_);
    return FitStatus::diverged;
  }

  /// Adds a point to the trace; false if the observer wants no more.
  bool trace() {
    const ControlledMean draws = std::exchange(since_trace_, {});
    result_.trace.push_back({.iteration = step_,
                             .samples = static_cast<Index>(draws.count()),
                             .elbo = draws.count() > 0 ? draws.mean() : -std::numeric_limits<double>::infinity(),
                             .elbo_standard_error = draws.standard_error(),
                             .step = learning_rate(),
                             .promise = progress_.gain() ? progress_.gain()->nats : 0,
                             .seconds = seconds_since(begin_)});
    return !observer_ || observer_(result_.trace.back());
  }

  const AdamOptions& options_;
  const result::FitObserver& observer_;
  std::unique_ptr<Family> q_;
  Objective objective_;
  Iterate iterate_;
  Progress progress_;
  ControlledMean since_trace_;
  Index step_ = 0, failures_in_a_row_ = 0;
  long long draws_ = 0, failed_draws_ = 0;
  double travel_ = 0;
  Clock::time_point begin_ = Clock::now();
  AdamResult result_;
};

}  // namespace

AdamResult adam(Evaluator& evaluator, std::unique_ptr<Family> start, const AdamOptions& options,
                const result::FitObserver& observer) {
  check(options);
  if (start->size() != evaluator.posterior().size())
    throw InputError(fmt::format("the posterior has {} unknowns, but the q to start from has {}",
                                 evaluator.posterior().size(), start->size()));
  return Run(evaluator, std::move(start), options, observer)();
}

}  // namespace varimesh::variational
