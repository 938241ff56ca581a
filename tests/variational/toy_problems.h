#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "variational/linear_problem.h"
#include "varimesh/inverse/log_likelihood.h"
#include "varimesh/variational/mixture.h"

namespace varimesh::variational::test {

using varimesh::test::linear_gaussian;
using varimesh::test::LinearGaussian;
using varimesh::test::normal_log_density;

/// A log-likelihood given by a function that returns the value and writes the gradient.
class BlackBox final : public inverse::LogLikelihood {
 public:
  using Function = std::function<double(const Vector& kappa, Vector& gradient)>;
  BlackBox(Index size, Function function) : size_(size), function_(std::move(function)) {}

  Index num_parameters() const override { return size_; }
  double value(const Vector& kappa) const override {
    Vector gradient(size_);
    return function_(kappa, gradient);
  }
  double value_and_gradient(const Vector& kappa, Vector& gradient) const override {
    gradient.resize(size_);
    return function_(kappa, gradient);
  }

 private:
  Index size_;
  Function function_;
};

/// A mixture of two.
template <class Component>
std::unique_ptr<Mixture> mixture(std::unique_ptr<Component> first, std::unique_ptr<Component> second) {
  std::vector<std::unique_ptr<GaussianFamily>> components;
  components.push_back(std::move(first));
  components.push_back(std::move(second));
  return std::make_unique<Mixture>(std::move(components));
}

}  // namespace varimesh::variational::test
