#pragma once

#include <vector>

#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// An equal-weight mixture of normal distributions. Parameters: those of the components, one after the other.
class Mixture final : public Family {
 public:
  /// Throws InputError if there is no component, or if they differ in size.
  explicit Mixture(std::vector<std::unique_ptr<GaussianFamily>> components);
  Mixture(const Mixture& other);
  Mixture& operator=(const Mixture&) = delete;
  ~Mixture() override = default;

  const GaussianFamily& component(Index k) const { return *components_[static_cast<std::size_t>(k)]; }

  std::unique_ptr<Family> clone() const override { return std::make_unique<Mixture>(*this); }
  Index size() const override { return components_.front()->size(); }
  Vector mean() const override;
  Vector variance() const override;
  Index num_components() const override { return static_cast<Index>(components_.size()); }
  Matrix transform(const Matrix& z) const override;
  Vector log_densities(const Matrix& kappa) const override;
  Matrix log_density_gradients(const Matrix& kappa) const override;
  Vector parameters() const override;
  bool set_parameters(const Vector& parameters) override;
  Vector pull_back(const Matrix& z, const Matrix& g) const override;

 private:
  /// log q_k(kappa_s), a row for each component.
  Matrix component_log_densities(const Matrix& kappa) const;

  std::vector<std::unique_ptr<GaussianFamily>> components_;
};

}  // namespace varimesh::variational
