#include "varimesh/inverse/contract.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

namespace varimesh::inverse {
namespace {

/// d/dt f(kappa + t v) at 0: central differences with steps h and h/2, extrapolated to cancel their h^2 error.
template <class Function>
auto directional_derivative(const Function& f, const Vector& kappa, const Vector& v) {
  constexpr double h = 2e-3;
  using Value = decltype(f(kappa));
  const auto central = [&](double step) -> Value { return (f(kappa + step * v) - f(kappa - step * v)) / (2 * step); };
  return Value((4 * central(h / 2) - central(h)) / 3);
}

double relative_error(const Vector& found, const Vector& expected) {
  const double scale = std::max(expected.norm(), std::numeric_limits<double>::min());
  const double error = (found - expected).norm() / scale;
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

double relative_error(double found, double expected, double scale) {
  const double error = std::abs(found - expected) / std::max(scale, std::numeric_limits<double>::min());
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

/// Whether evaluate(kappa) gives bitwise the same from several threads at once as alone, at as many different kappas.
template <class Evaluate>
bool same_on_threads(const Vector& kappa, Random& random, int num_threads, const Evaluate& evaluate) {
  const int rounds = 2 * num_threads;
  std::vector<Vector> points, expected;
  for (int t = 0; t < num_threads; ++t) {
    points.push_back(kappa + 0.1 * random.normal_vector(static_cast<Index>(kappa.size())));
    expected.push_back(evaluate(points.back()));
  }
  std::atomic<bool> same = true;
  const auto work = [&](int first) {
    for (int round = 0; round < rounds; ++round) {
      const auto which = static_cast<std::size_t>((first + round) % num_threads);
      const Vector found = evaluate(points[which]);
      if (found.size() != expected[which].size() || !(found.array() == expected[which].array()).all()) same = false;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < num_threads; ++t) threads.emplace_back(work, t);
  }
  return same;
}

}  // namespace

ModelContract check_forward_model(const ForwardModel& model, const Vector& kappa, Random& random,
                                  const ContractOptions& options) {
  const std::unique_ptr<Linearization> linearization = model.linearize(kappa);
  const Vector& prediction = linearization->prediction();
  const Matrix jacobian = linearization->jacobian();
  ModelContract result{relative_error(model.predict(kappa), prediction), 0, 0, false};
  const auto predict = [&](const Vector& at) { return model.predict(at); };
  for (int d = 0; d < options.directions; ++d) {
    const Vector v = random.normal_vector(model.num_parameters()).normalized();
    const Vector w = random.normal_vector(model.num_predictions()).normalized();
    const Vector forward = jacobian * v;
    const Vector backward = linearization->jacobian_transposed(w);
    result.derivative_error =
        std::max(result.derivative_error, relative_error(directional_derivative(predict, kappa, v), forward));
    result.transposition_error =
        std::max({result.transposition_error, relative_error(w.dot(forward), backward.dot(v), backward.norm()),
                  relative_error(jacobian.transpose() * w, backward)});
  }
  result.same_on_threads = same_on_threads(kappa, random, options.threads, [&](const Vector& at) {
    const auto local = model.linearize(at);
    Vector all(local->prediction().size() + at.size());
    all << local->prediction(), local->jacobian_transposed(local->prediction());
    return all;
  });
  return result;
}

LikelihoodContract check_log_likelihood(const LogLikelihood& likelihood, const Vector& kappa, Random& random,
                                        const ContractOptions& options) {
  Vector gradient;
  const double value = likelihood.value_and_gradient(kappa, gradient);
  LikelihoodContract result{relative_error(likelihood.value(kappa), value, std::abs(value)), 0, false};
  const auto evaluate = [&](const Vector& at) { return likelihood.value(at); };
  for (int d = 0; d < options.directions; ++d) {
    // Half of each direction is along the gradient, so that no derivative is lost in the rounding of the value.
    const Vector v =
        (random.normal_vector(likelihood.num_parameters()).normalized() + gradient.normalized()).normalized();
    const double difference = directional_derivative(evaluate, kappa, v);
    result.gradient_error =
        std::max(result.gradient_error, relative_error(gradient.dot(v), difference, std::abs(difference)));
  }
  result.same_on_threads = same_on_threads(kappa, random, options.threads, [&](const Vector& at) {
    Vector all;
    const double local = likelihood.value_and_gradient(at, all);
    all.conservativeResize(all.size() + 1);
    all[all.size() - 1] = local;
    return all;
  });
  return result;
}

}  // namespace varimesh::inverse
