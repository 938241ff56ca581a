#include "varimesh/variational/adam.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/number_words.h"
#include "varimesh/random.h"
#include "varimesh/simd_clones.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/adam_objective.h"
#include "varimesh/variational/adam_progress.h"
#include "varimesh/variational/controlled_mean.h"
#include "varimesh/variational/mean_field.h"

namespace varimesh::variational {
namespace {

using result::FitStatus;

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

/// The constants of a step.
struct Update {
  double beta1, beta2, rate, scale, epsilon;
  double weight;  ///< of the new iterate in their mean
};

/// m <- beta1 m + (1 - beta1) g,  v <- beta2 v + (1 - beta2) g^2,  theta <- theta + rate m / (scale sqrt(v) + epsilon),
/// mean <- mean + weight (theta - mean), for each parameter.
VARIMESH_SIMD_CLONES void update(std::size_t count, const double* __restrict g, Update by, double* __restrict m,
                                 double* __restrict v, double* __restrict theta, double* __restrict mean) {
  for (std::size_t i = 0; i < count; ++i) {
    m[i] += (1 - by.beta1) * (g[i] - m[i]);
    v[i] += (1 - by.beta2) * (g[i] * g[i] - v[i]);
    theta[i] += by.rate * m[i] / (by.scale * std::sqrt(v[i]) + by.epsilon);
    mean[i] += by.weight * (theta[i] - mean[i]);
  }
}

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
    // Weights that grow as about t^8 (Shamir and Zhang 2013): the mean age is a tenth of the run.
    constexpr double power = 8;
    update(static_cast<std::size_t>(gradient.size()), gradient.data(),
           {.beta1 = options_.beta1,
            .beta2 = options_.beta2,
            .rate = learning_rate / (1 - std::pow(options_.beta1, steps_)),
            .scale = 1 / std::sqrt(1 - std::pow(options_.beta2, steps_)),
            .epsilon = options_.epsilon,
            .weight = (power + 1) / (power + steps_)},
           first_.data(), second_.data(), parameters_.data(), mean_.data());
  }

  const Vector& parameters() const { return parameters_; }
  const Vector& mean() const { return mean_; }

 private:
  const AdamOptions& options_;
  Index steps_ = 0;
  Vector parameters_, mean_, first_, second_;
};

/// The iteration.
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
      if (!completes([&] { status = step(); })) {
        --step_;
        status = FitStatus::interrupted;
        result_.message =
            fmt::format("stopped on request after {}: {}", counted(step_, "step"), progress_.description());
        break;
      }
      const bool last = status || step_ == options_.max_steps;
      if ((last || step_ % options_.trace_every == 0) && !trace() && !status) {
        status = FitStatus::interrupted;
        result_.message =
            fmt::format("stopped by its observer after {}: {}", counted(step_, "step"), progress_.description());
      }
    }
    if (!status) result_.message = fmt::format("stopped after {}: {}", counted(step_, "step"), progress_.description());
    if (failed_draws_ > 0)
      result_.message += fmt::format("; the model failed at {:.2g} % of the draws, which were left out",
                                     100 * static_cast<double>(failed_draws_) / static_cast<double>(draws_));
    result_.status = status.value_or(FitStatus::iteration_limit);
    q_->set_parameters(iterate_.mean());
    result_.q = std::move(q_);
    return std::move(result_);
  }

 private:
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
    const Matrix z = random.normal_matrix(q_->size(), options_.samples * q_->num_components());
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
    result_.message = fmt::format("converged in {}: {}", counted(step_, "step"), progress_.description());
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
                             .seconds = watch_.seconds()});
    return !observer_ || observer_(result_.trace.back());
  }

  const AdamOptions& options_;
  const result::FitObserver& observer_;
  std::unique_ptr<Family> q_;
  AdamObjective objective_;
  Iterate iterate_;
  AdamProgress progress_;
  ControlledMean since_trace_;
  Index step_ = 0, failures_in_a_row_ = 0;
  long long draws_ = 0, failed_draws_ = 0;
  double travel_ = 0;
  Stopwatch watch_;
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
