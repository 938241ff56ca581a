#include "varimesh/inverse/contract.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <thread>
#include <vector>

namespace varimesh::inverse {
namespace {

constexpr double step = 2e-3;

/// d/dt f(kappa + t v) at 0: central differences with steps h and h/2, extrapolated to cancel their h^2 error.
template <class Function>
auto directional_derivative(const Function& f, const Vector& kappa, const Vector& v) {
  using Value = decltype(f(kappa));
  const auto central = [&](double h) -> Value { return (f(kappa + h * v) - f(kappa - h * v)) / (2 * h); };
  return Value((4 * central(step / 2) - central(step)) / 3);
}

/// |found - expected| relative to the larger of |expected| and a floor, below which nothing but rounding is to be seen.
double relative_error(const Vector& found, const Vector& expected, double floor) {
  const double scale = std::max({expected.norm(), floor, std::numeric_limits<double>::min()});
  const double error = (found - expected).norm() / scale;
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

double relative_error(double found, double expected, double floor) {
  return relative_error(Vector::Constant(1, found), Vector::Constant(1, expected), floor);
}

/// A direction in which kappa moves by about one in every component, and with the derivative `gradient` rather than
/// against it: the change that differences have to resolve does not vanish in many dimensions.
Vector telling_direction(const Vector& gradient, Random& random) {
  const double largest = gradient.lpNorm<Eigen::Infinity>();
  Vector direction = random.normal_vector(static_cast<Index>(gradient.size()));
  if (direction.dot(gradient) < 0) direction = -direction;
  if (largest > 0 && std::isfinite(largest)) direction += gradient / largest;
  return direction;
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
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(num_threads));
  const auto work = [&](int first) {
    try {
      for (int round = 0; round < rounds; ++round) {
        const auto which = static_cast<std::size_t>((first + round) % num_threads);
        const Vector found = evaluate(points[which]);
        const auto bytes = sizeof(double) * static_cast<std::size_t>(found.size());
        if (found.size() != expected[which].size() || std::memcmp(found.data(), expected[which].data(), bytes) != 0)
          same = false;
      }
    } catch (...) {
      thrown[static_cast<std::size_t>(first)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < num_threads; ++t) threads.emplace_back(work, t);
  }
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
  return same;
}

}  // namespace

ModelContract check_forward_model(const ForwardModel& model, const Vector& kappa, Random& random,
                                  const ContractOptions& options) {
  const std::unique_ptr<Linearization> linearization = model.linearize(kappa);
  const Vector& prediction = linearization->prediction();
  const Matrix jacobian = linearization->jacobian();
  // Derivatives and products far below the size of the predictions drown in their rounding.
  const double size = prediction.norm(), derivative_floor = 1e-4 * size, product_floor = 1e-10 * size;
  ModelContract result{relative_error(model.predict(kappa), prediction, 0), 0, 0, false};
  const auto predict = [&](const Vector& at) { return model.predict(at); };
  for (int d = 0; d < options.directions; ++d) {
    const Vector w = random.normal_vector(model.num_predictions()).normalized();
    const Vector backward = linearization->jacobian_transposed(w);
    const Vector v = telling_direction(backward, random);
    const Vector forward = jacobian * v;
    result.derivative_error = std::max(
        result.derivative_error, relative_error(directional_derivative(predict, kappa, v), forward, derivative_floor));
    result.transposition_error =
        std::max({result.transposition_error, relative_error(w.dot(forward), backward.dot(v), product_floor),
                  relative_error(jacobian.transpose() * w, backward, product_floor),
                  relative_error(linearization->jacobian_transposed_block(w), backward, product_floor),
                  relative_error(linearization->jacobian_block(v), forward, product_floor)});
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
  LikelihoodContract result{relative_error(likelihood.value(kappa), value, 0), 0, false};
  const auto evaluate = [&](const Vector& at) { return likelihood.value(at); };
  for (int d = 0; d < options.directions; ++d) {
    const Vector v = telling_direction(gradient, random);
    // The values that are subtracted, whose rounding the difference inherits.
    const double floor = 1e-6 * std::max(std::abs(value), std::abs(evaluate(kappa + step * v)));
    result.gradient_error = std::max(
        result.gradient_error, relative_error(directional_derivative(evaluate, kappa, v), gradient.dot(v), floor));
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
