#include "varimesh/run/inverse_problem.h"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>

#include "varimesh/checksum.h"
#include "varimesh/constants.h"
#include "varimesh/error.h"

namespace varimesh::run {
namespace {

/// A checksum of what a record says of a problem's mesh, unknowns, sensors and quantities.
std::string fingerprint_of(const result::ProblemRecord& record) {
  std::uint64_t sum = 0;
  const auto take = [&](const auto* data, std::size_t size) {
    sum = checksum(std::as_bytes(std::span(data, size)), sum);
  };
  const auto take_vector = [&](const Vector& values) { take(values.data(), static_cast<std::size_t>(values.size())); };
  const auto take_points = [&](const std::vector<Point>& points) {
    for (const Point& x : points) take(x.data(), static_cast<std::size_t>(x.size()));
  };
  take_points(record.mesh.nodes);
  take(record.mesh.cell_nodes.data(), record.mesh.cell_nodes.size());
  take_points(record.positions);
  take_points(record.sensors.points);
  take_vector(record.sensors.mean);
  take_vector(record.sensors.sigma);
  take_vector(record.sensors.count);
  for (const result::QuantityName& quantity : record.quantities) take(quantity.name.data(), quantity.name.size());
  take(record.labels.title.data(), record.labels.title.size());
  return fmt::format("{:016x}", sum);
}

}  // namespace

InverseProblem::InverseProblem(result::ProblemRecord record, std::optional<inverse::Observations> observations)
    : record_(std::move(record)), observations_(std::move(observations)) {
  if (observations_) {
    result::SensorRecord& sensors = record_.sensors;
    if (observations_->size() != record_.num_sensors())
      throw InputError(
          fmt::format("expected a point of each sensor in the record, {} as there are observations, found {}",
                      observations_->size(), record_.num_sensors()));
    sensors.mean = observations_->mean;
    sensors.sigma = observations_->sigma;
    sensors.count = observations_->count;
    sensors.noise = observations_->noise;
  }
  if (record_.fingerprint.empty()) record_.fingerprint = fingerprint_of(record_);
}

Vector InverseProblem::quantities(const Vector& unknowns) const {
  Prediction found = predict(unknowns);
  return found.ok ? std::move(found.quantities) : Vector::Constant(std::ssize(record_.quantities), nan);
}

Vector InverseProblem::quantity_slopes(const Vector& unknowns, const Vector& direction) const {
  // The error of (f(x + h v) - f(x - h v)) / 2h is h^2 f''' / 6 + epsilon f / h.
  constexpr double step = 6e-6;  // the cube root of epsilon
  const double length = direction.norm();
  if (length == 0) return Vector::Zero(std::ssize(record_.quantities));
  const Vector by = direction * (step * (1 + unknowns.norm()) / length);
  return (quantities(unknowns + by) - quantities(unknowns - by)) * (length / (2 * by.norm()));
}

CoarseStart InverseProblem::fit_coarse(const inverse::Posterior&, const variational::FitOptions&,
                                       const result::FitObserver&) const {
  return {};
}

result::MeshCheck InverseProblem::check_mesh(const Matrix&, double) const { return {}; }

}  // namespace varimesh::run
