#include "varimesh/noise/grouped_noise.h"

#include <algorithm>

namespace varimesh::noise {

GroupedNoise::GroupedNoise(std::vector<std::shared_ptr<const Noise>> groups) : groups_(std::move(groups)) {
  for (const auto& group : groups_) start_.push_back(start_.back() + group->size());
}

template <class Visit>
void GroupedNoise::for_each_group(const Visit& visit) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) visit(*groups_[g], start_[g], start_[g + 1] - start_[g]);
}

template <class Visit>
auto GroupedNoise::in_group(Index sensor, const Visit& visit) const {
  const auto after = std::ranges::upper_bound(start_, sensor);
  const auto g = static_cast<std::size_t>(after - start_.begin()) - 1;
  return visit(*groups_[g], sensor - start_[g]);
}

bool GroupedNoise::is_normal() const {
  return std::ranges::all_of(groups_, [](const auto& group) { return group->is_normal(); });
}

double GroupedNoise::constant() const {
  double sum = 0;
  for (const auto& group : groups_) sum += group->constant();
  return sum;
}

double GroupedNoise::value(const Vector& prediction) const {
  double sum = 0;
  for_each_group(
      [&](const Noise& group, Index first, Index count) { sum += group.value(prediction.segment(first, count)); });
  return sum;
}

Vector GroupedNoise::slope(const Vector& prediction) const {
  Vector result(size());
  for_each_group([&](const Noise& group, Index first, Index count) {
    result.segment(first, count) = group.slope(prediction.segment(first, count));
  });
  return result;
}

void GroupedNoise::multiply_root(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const {
  for_each_group([&](const Noise& group, Index first, Index count) {
    group.multiply_root(prediction.segment(first, count), bend, x.middleRows(first, count));
  });
}

void GroupedNoise::multiply_root_transposed(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const {
  for_each_group([&](const Noise& group, Index first, Index count) {
    group.multiply_root_transposed(prediction.segment(first, count), bend, x.middleRows(first, count));
  });
}

Matrix GroupedNoise::given_others(const Matrix& predictions) const {
  Matrix result(predictions.rows(), predictions.cols());
  for_each_group([&](const Noise& group, Index first, Index count) {
    result.middleRows(first, count) = group.given_others(predictions.middleRows(first, count));
  });
  return result;
}

double GroupedNoise::log_density(Index sensor, double prediction) const {
  return in_group(sensor, [&](const Noise& group, Index own) { return group.log_density(own, prediction); });
}

Vector GroupedNoise::standard_error() const {
  Vector result(size());
  for_each_group(
      [&](const Noise& group, Index first, Index count) { result.segment(first, count) = group.standard_error(); });
  return result;
}

Vector GroupedNoise::normal_scores(Index sensor, double prediction) const {
  return in_group(sensor, [&](const Noise& group, Index own) { return group.normal_scores(own, prediction); });
}

Matrix GroupedNoise::sample(Index columns, Random& random) const {
  Matrix result(size(), columns);
  for_each_group([&](const Noise& group, Index first, Index count) {
    result.middleRows(first, count) = group.sample(columns, random);
  });
  return result;
}

}  // namespace varimesh::noise
