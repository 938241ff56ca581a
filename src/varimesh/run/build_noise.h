#pragma once

#include <optional>
#include <vector>

#include "varimesh/inverse/observations.h"
#include "varimesh/random.h"
#include "varimesh/run/noise_config.h"

namespace varimesh::run {

/// How the measurements of some sensors scatter, before there are any.
struct NoiseModel {
  Vector sigma;         ///< of one measurement of each sensor, the least if it is relative
  double relative = 0;  ///< sigma as a share of the reading
  Matrix covariance;    ///< empty, or of further errors, which are normal, of one measurement of each sensor
  std::optional<double> degrees_of_freedom;  ///< of Student-t errors; absent: normal

  /// Of one measurement of each sensor at these readings: relative errors are those of the readings. Throws InputError
  /// where that is zero.
  Vector sigma_at(const Vector& readings) const;
  /// The covariance at these readings, if sensors are correlated.
  Matrix covariance_at(const Vector& readings) const;
};

/// `own_sigma` is empty, or that of each sensor, which overrides the file's. A model without sigma is none. InputErrors
/// name the setting at fault.
std::optional<NoiseModel> build_noise(const NoiseConfig& config, const std::vector<Point>& sensors,
                                      const Vector& own_sigma, int dimension);

/// What was measured at each sensor: means of so many measurements, and these themselves where they are known.
struct Measurements {
  Vector mean, count;
  std::vector<Vector> each;       ///< empty, or the measurements of each sensor
  std::optional<Vector> scatter;  ///< sums of squared deviations from the mean
};
inverse::Observations observe(const NoiseModel& noise, const Measurements& measured);

/// Errors of measurements whose readings without noise are these: a row for each replicate.
Matrix sample_errors(const NoiseModel& noise, const Vector& readings, Index replicates, Random& random);
/// Made-up measurements, so many of each sensor.
Measurements sample_measurements(const NoiseModel& noise, const Vector& readings, const Vector& count, Random& random);

/// "Independent and normal with standard deviation 0.01 for each measurement."
std::string describe_noise(const NoiseConfig& config, const Vector& sigma);

}  // namespace varimesh::run
