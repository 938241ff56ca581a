#pragma once

#include <memory>
#include <vector>

#include "varimesh/noise/noise.h"

namespace varimesh::noise {

/// Groups of sensors, one after the other, each with noise of its own kind, independent of that of other groups.
class GroupedNoise final : public Noise {
 public:
  explicit GroupedNoise(std::vector<std::shared_ptr<const Noise>> groups);

  Index size() const override { return start_.back(); }
  bool is_normal() const override;
  double constant() const override;
  double value(const Vector& prediction) const override;
  Vector slope(const Vector& prediction) const override;
  void multiply_root(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const override;
  Matrix given_others(const Matrix& predictions) const override;
  double log_density(Index sensor, double prediction) const override;
  Vector standard_error() const override;
  Vector normal_scores(Index sensor, double prediction) const override;
  Matrix sample(Index columns, Random& random) const override;

 private:
  /// Calls visit(group, its first sensor, how many it has).
  template <class Visit>
  void for_each_group(const Visit& visit) const;
  /// Calls visit(group, sensor within it), and gives what that does.
  template <class Visit>
  auto in_group(Index sensor, const Visit& visit) const;

  std::vector<std::shared_ptr<const Noise>> groups_;
  std::vector<Index> start_{0};
};

}  // namespace varimesh::noise
