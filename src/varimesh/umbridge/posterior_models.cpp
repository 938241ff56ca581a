#include "varimesh/umbridge/posterior_models.h"

#include <limits>
#include <stdexcept>
#include <utility>

#include "varimesh/constants.h"

namespace varimesh::umbridge {
namespace {

class ForwardMap final : public Model {
 public:
  explicit ForwardMap(std::shared_ptr<const inverse::ForwardModel> model) : model_(std::move(model)) {}

  std::string name() const override { return "forward"; }
  Index input_size() const override { return model_->num_parameters(); }
  Index output_size() const override { return model_->num_predictions(); }
  Vector evaluate(const Vector& x) const override { return model_->predict(x); }
  Vector gradient(const Vector& x, const Vector& sensitivity) const override {
    const auto at = model_->linearize(x);
    return at->prediction().allFinite() ? at->jacobian_transposed(sensitivity) : Vector::Constant(x.size(), nan);
  }
  Vector apply_jacobian(const Vector& x, const Vector& direction) const override {
    const auto at = model_->linearize(x);
    return at->prediction().allFinite() ? Vector(at->jacobian_block(direction)) : at->prediction();
  }

 private:
  std::shared_ptr<const inverse::ForwardModel> model_;
};

/// A scalar with its gradient.
class LogDensity : public Model {
 public:
  Index output_size() const final { return 1; }
  Vector evaluate(const Vector& x) const final {
    Vector ignored;
    return Vector::Constant(1, value_and_gradient(x, ignored));
  }
  Vector gradient(const Vector& x, const Vector& sensitivity) const final {
    Vector slope;
    value_and_gradient(x, slope);
    return sensitivity[0] * slope;
  }
  Vector apply_jacobian(const Vector& x, const Vector& direction) const final {
    Vector slope;
    value_and_gradient(x, slope);
    return Vector::Constant(1, slope.dot(direction));
  }
  Vector apply_hessian(const Vector& x, const Vector& sensitivity, const Vector& direction) const final {
    return sensitivity[0] * hessian_times(x, direction);
  }

 protected:
  virtual double value_and_gradient(const Vector& x, Vector& gradient) const = 0;
  virtual Vector hessian_times(const Vector& x, const Vector& direction) const = 0;
};

/// The likelihood's part: -J' W J v, with the weights W of independent normal noise.
Vector gauss_newton_times(const inverse::GaussianLikelihood& likelihood, const Vector& x, const Vector& v) {
  const auto at = likelihood.model().linearize(x);
  if (!at->prediction().allFinite()) return Vector::Constant(x.size(), nan);
  const Vector jv = at->jacobian_block(v);
  return -at->jacobian_transposed(likelihood.observations().weight.cwiseProduct(jv));
}

bool has_gauss_newton(const inverse::Posterior& posterior) {
  const auto* likelihood = posterior.gaussian_likelihood();
  return likelihood && !likelihood->observations().noise;
}

class LogLikelihoodMap final : public LogDensity {
 public:
  explicit LogLikelihoodMap(inverse::Posterior posterior) : posterior_(std::move(posterior)) {}
  std::string name() const override { return "log_likelihood"; }
  Index input_size() const override { return posterior_.size(); }
  bool has_hessian() const override { return has_gauss_newton(posterior_); }

 protected:
  double value_and_gradient(const Vector& x, Vector& gradient) const override {
    return posterior_.likelihood().value_and_gradient(x, gradient);
  }
  Vector hessian_times(const Vector& x, const Vector& v) const override {
    return gauss_newton_times(*posterior_.gaussian_likelihood(), x, v);
  }

 private:
  inverse::Posterior posterior_;
};

class PosteriorMap final : public LogDensity {
 public:
  explicit PosteriorMap(inverse::Posterior posterior) : posterior_(std::move(posterior)) {}
  std::string name() const override { return "posterior"; }
  Index input_size() const override { return posterior_.size(); }
  bool has_hessian() const override { return has_gauss_newton(posterior_) && posterior_.gaussian_prior(); }

 protected:
  double value_and_gradient(const Vector& x, Vector& gradient) const override {
    Vector of_prior;
    const double prior = posterior_.prior().log_density_and_gradient(x, of_prior);
    const double likelihood = posterior_.likelihood().value_and_gradient(x, gradient);
    gradient += of_prior;
    return likelihood + prior;
  }
  Vector hessian_times(const Vector& x, const Vector& v) const override {
    return gauss_newton_times(*posterior_.gaussian_likelihood(), x, v) -
           posterior_.gaussian_prior()->precision_times(v);
  }

 private:
  inverse::Posterior posterior_;
};

/// log p(y | m + R w) - w'w / 2
class WhitenedMap final : public LogDensity {
 public:
  explicit WhitenedMap(inverse::Posterior posterior) : posterior_(std::move(posterior)) {}
  std::string name() const override { return "posterior_whitened"; }
  Index input_size() const override { return posterior_.size(); }
  bool has_hessian() const override { return has_gauss_newton(posterior_); }

 protected:
  double value_and_gradient(const Vector& w, Vector& gradient) const override {
    const double likelihood = posterior_.likelihood().value_and_gradient(unknowns(w), gradient);
    gradient = transposed_root_times(gradient) - w;
    return likelihood - 0.5 * w.squaredNorm();
  }
  Vector hessian_times(const Vector& w, const Vector& v) const override {
    return transposed_root_times(gauss_newton_times(*posterior_.gaussian_likelihood(), unknowns(w), root_times(v))) - v;
  }

 private:
  Vector root_times(const Vector& w) const {
    Matrix x = w;
    posterior_.gaussian_prior()->gaussian().multiply_root(x);
    return x;
  }
  Vector transposed_root_times(const Vector& gradient) const {
    Matrix x = gradient;
    posterior_.gaussian_prior()->gaussian().multiply_root_transposed(x);
    return x;
  }
  Vector unknowns(const Vector& w) const { return posterior_.gaussian_prior()->gaussian().mean() + root_times(w); }

  inverse::Posterior posterior_;
};

}  // namespace

Vector Model::apply_hessian(const Vector&, const Vector&, const Vector&) const {
  throw std::logic_error("a model without a Hessian was asked for it");
}

Models posterior_models(const inverse::Posterior& posterior) {
  Models models;
  if (const auto* likelihood = posterior.gaussian_likelihood())
    models.push_back(std::make_unique<ForwardMap>(likelihood->shared_model()));
  models.push_back(std::make_unique<LogLikelihoodMap>(posterior));
  models.push_back(std::make_unique<PosteriorMap>(posterior));
  if (posterior.gaussian_prior()) models.push_back(std::make_unique<WhitenedMap>(posterior));
  return models;
}

}  // namespace varimesh::umbridge
