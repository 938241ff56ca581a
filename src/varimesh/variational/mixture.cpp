#include "varimesh/variational/mixture.h"

#include <cmath>

#include "varimesh/error.h"
#include "varimesh/log_sum_exp.h"

namespace varimesh::variational {
namespace {

std::unique_ptr<GaussianFamily> copy(const GaussianFamily& component) {
  return std::unique_ptr<GaussianFamily>(static_cast<GaussianFamily*>(component.clone().release()));
}

}  // namespace

Mixture::Mixture(std::vector<std::unique_ptr<GaussianFamily>> components) : components_(std::move(components)) {
  if (components_.empty()) throw InputError("a mixture needs at least one component");
  for (const auto& component : components_) {
    if (component->size() != size()) throw InputError("the components of a mixture differ in size");
  }
}

Mixture::Mixture(const Mixture& other) {
  for (const auto& component : other.components_) components_.push_back(copy(*component));
}

Vector Mixture::mean() const {
  Vector result = Vector::Zero(size());
  for (const auto& component : components_) result += component->mean() / num_components();
  return result;
}

Vector Mixture::variance() const {
  // E[var] + var[mean]
  const Vector centre = mean();
  Vector result = Vector::Zero(size());
  for (const auto& component : components_)
    result += (component->variance() + (component->mean() - centre).cwiseAbs2()) / num_components();
  return result;
}

Matrix Mixture::transform(const Matrix& z) const {
  Matrix kappa(z.rows(), z.cols());
  const Eigen::Index group = z.cols() / num_components();
  for (Index k = 0; k < num_components(); ++k)
    kappa.middleCols(k * group, group) = component(k).transform(z.middleCols(k * group, group));
  return kappa;
}

Matrix Mixture::component_log_densities(const Matrix& kappa) const {
  Matrix result(num_components(), kappa.cols());
  for (Index k = 0; k < num_components(); ++k) result.row(k) = component(k).log_densities(kappa).transpose();
  return result;
}

Vector Mixture::log_densities(const Matrix& kappa) const {
  return log_sum_exp(component_log_densities(kappa)).array() - std::log(num_components());
}

Matrix Mixture::log_density_gradients(const Matrix& kappa) const {
  // sum_k r_k grad log q_k,  r_k = q_k / sum_j q_j
  Matrix responsibility = component_log_densities(kappa);
  responsibility = (responsibility.rowwise() - log_sum_exp(responsibility).transpose()).array().exp();
  Matrix result = Matrix::Zero(kappa.rows(), kappa.cols());
  for (Index k = 0; k < num_components(); ++k)
    result += component(k).log_density_gradients(kappa) * responsibility.row(k).asDiagonal();
  return result;
}

Vector Mixture::parameters() const {
  std::vector<double> all;
  for (const auto& component : components_) {
    const Vector own = component->parameters();
    all.insert(all.end(), own.begin(), own.end());
  }
  return Eigen::Map<Vector>(all.data(), static_cast<Eigen::Index>(all.size()));
}

bool Mixture::set_parameters(const Vector& parameters) {
  Mixture changed(*this);
  Eigen::Index at = 0;
  for (auto& component : changed.components_) {
    const Eigen::Index count = component->parameters().size();
    if (!component->set_parameters(parameters.segment(at, count))) return false;
    at += count;
  }
  components_ = std::move(changed.components_);
  return true;
}

Vector Mixture::pull_back(const Matrix& z, const Matrix& g) const {
  std::vector<double> all;
  const Eigen::Index group = z.cols() / num_components();
  for (Index k = 0; k < num_components(); ++k) {
    const Vector own = component(k).pull_back(z.middleCols(k * group, group), g.middleCols(k * group, group));
    all.insert(all.end(), own.begin(), own.end());
  }
  return Eigen::Map<Vector>(all.data(), static_cast<Eigen::Index>(all.size()));
}

}  // namespace varimesh::variational
