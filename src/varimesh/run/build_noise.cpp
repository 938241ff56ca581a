#include "varimesh/run/build_noise.h"

#include <fmt/format.h>

#include <cmath>

#include "varimesh/error.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/noise/correlated_noise.h"
#include "varimesh/noise/student_noise.h"
#include "varimesh/run/build_kernel.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/covariance_file.h"

namespace varimesh::run {
namespace {

Matrix kernel_matrix(const KernelNoiseConfig& config, const std::vector<Point>& points, int dimension) {
  const inverse::Kernel kernel = build_kernel(config.kernel, config.sd, config.length_scale, 1, dimension);
  const auto n = static_cast<Index>(points.size());
  if (n > noise::CorrelatedNoise::max_sensors)
    throw InputError(fmt::format("correlated noise is dense and takes at most {} sensors, found {}",
                                 Index{noise::CorrelatedNoise::max_sensors}, n));
  return Matrix::NullaryExpr(n, n, [&](Eigen::Index i, Eigen::Index j) {
    return kernel(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
  });
}

/// L of the covariance of one measurement of each sensor.
Matrix covariance_root(const NoiseModel& noise, const Vector& readings) {
  Matrix factor = noise.covariance_at(readings);
  if (!linalg::cholesky(factor))
    throw InputError("expected a positive definite covariance matrix of the noise, found one that is not");
  return factor;
}

std::string write_sds(const Vector& values) {
  return values.minCoeff() == values.maxCoeff() ? fmt::format("{:.4g}", values[0])
                                                : fmt::format("{:.4g} to {:.4g}", values.minCoeff(), values.maxCoeff());
}

}  // namespace

Vector NoiseModel::sigma_at(const Vector& readings) const {
  if (relative == 0) return sigma;
  const Vector result = (relative * readings.cwiseAbs()).cwiseMax(sigma);
  for (Index i = 0; i < result.size(); ++i) {
    if (!(result[i] > 0) && covariance.size() == 0)
      throw InputError(
          fmt::format("sensor {}: its reading is 0, and so would be its noise: expected a floor, as in "
                      "sigma = {{ relative = {}, floor = 0.001 }}",
                      i, relative));
  }
  return result;
}

Matrix NoiseModel::covariance_at(const Vector& readings) const {
  Matrix result = covariance;
  result.diagonal() += sigma_at(readings).cwiseAbs2();
  return result;
}

std::optional<NoiseModel> build_noise(const NoiseConfig& config, const std::vector<Point>& sensors,
                                      const Vector& own_sigma, int dimension) {
  const auto size = static_cast<Eigen::Index>(sensors.size());
  NoiseModel result;
  const auto* covariance = std::get_if<CovarianceNoiseConfig>(&config.kind);
  if (own_sigma.size() > 0) {
    if (covariance)
      throw InputError(config.origin +
                       ": expected variances in the covariance matrix or in a column 'sigma', found both");
    result.sigma = own_sigma;
  } else if (config.sigma || config.relative || covariance) {
    result.sigma = Vector::Constant(size, config.sigma.value_or(0));
    result.relative = config.relative.value_or(0);
  } else {
    return std::nullopt;
  }
  at(config.origin, [&] {
    if (covariance) result.covariance = read_covariance(covariance->file, static_cast<Index>(size));
    if (const auto* kernel = std::get_if<KernelNoiseConfig>(&config.kind))
      result.covariance = kernel_matrix(*kernel, sensors, dimension);
  });
  if (const auto* student = std::get_if<StudentNoiseConfig>(&config.kind))
    result.degrees_of_freedom = student->degrees_of_freedom;
  return result;
}

inverse::Observations observe(const NoiseModel& noise, const Measurements& measured) {
  if (noise.covariance.size() > 0)
    return inverse::observe_correlated(measured.mean, measured.count, noise.covariance_at(measured.mean));
  const Vector sigma = noise.sigma_at(measured.mean);
  if (noise.degrees_of_freedom) {
    if (measured.each.empty())
      throw InputError(
          "Student-t noise needs every measurement: expected a row for each, found means of several (a column 'count', "
          "or the key replicates with one row for each sensor)");
    return inverse::observe_student(measured.each, sigma, *noise.degrees_of_freedom);
  }
  return measured.scatter ? inverse::observe_groups(measured.mean, measured.count, *measured.scatter, sigma)
                          : inverse::observe_means(measured.mean, measured.count, sigma);
}

Matrix sample_errors(const NoiseModel& noise, const Vector& readings, Index replicates, Random& random) {
  Matrix errors(replicates, readings.size());
  const auto size = static_cast<Index>(readings.size());
  if (noise.covariance.size() > 0) {
    const Matrix factor = covariance_root(noise, readings);
    for (Index r = 0; r < replicates; ++r) {
      Vector error = random.normal_vector(size);
      linalg::multiply_triangular(factor, linalg::Transpose::no, error);
      errors.row(r) = error;
    }
    return errors;
  }
  const Vector sigma = noise.sigma_at(readings);
  for (Index r = 0; r < replicates; ++r) {
    if (noise.degrees_of_freedom) {
      for (Index i = 0; i < size; ++i)
        errors(r, i) = sigma[i] * noise::sample_student(*noise.degrees_of_freedom, random);
    } else {
      errors.row(r) = sigma.cwiseProduct(random.normal_vector(size));
    }
  }
  return errors;
}

Measurements sample_measurements(const NoiseModel& noise, const Vector& readings, const Vector& count, Random& random) {
  Measurements result{readings, count, {}, {}};
  const bool means_are_normal = !noise.degrees_of_freedom && noise.covariance.size() == 0;
  if (means_are_normal) {
    // The mean of n measurements is N(G(kappa), sigma^2 / n).
    result.mean += random.normal_vector(static_cast<Index>(readings.size()))
                       .cwiseProduct(noise.sigma_at(readings))
                       .cwiseQuotient(count.cwiseSqrt());
    return result;
  }
  const Matrix errors = sample_errors(noise, readings, static_cast<Index>(count.maxCoeff()), random);
  for (Eigen::Index i = 0; i < readings.size(); ++i) {
    const Vector own = readings[i] + errors.col(i).head(static_cast<Eigen::Index>(count[i])).array();
    result.mean[i] = own.mean();
    result.each.push_back(own);
  }
  return result;
}

std::string describe_noise(const NoiseConfig& config, const Vector& sigma) {
  const std::string sds =
      config.relative
          ? fmt::format("{:.4g} % of the reading{} ({})", 100 * *config.relative,
                        config.sigma ? fmt::format(", at least {:.4g}", *config.sigma) : "", write_sds(sigma))
          : write_sds(sigma);
  return std::visit(
      Overloaded{[&](const std::monostate&) {
                   return fmt::format("Independent and normal with standard deviation {} for each measurement.", sds);
                 },
                 [&](const CovarianceNoiseConfig& c) {
                   return fmt::format(
                       "Normal and correlated, with the covariance matrix in {}: standard deviation {} "
                       "for each measurement.",
                       c.file.path().filename().string(), sds);
                 },
                 [&](const KernelNoiseConfig& c) {
                   std::string kernel = c.kernel;
                   std::replace(kernel.begin(), kernel.end(), '_', '-');
                   const double independent = config.sigma.value_or(0);
                   const std::string own = config.relative
                                               ? fmt::format("{:.4g} % of the reading", 100 * *config.relative)
                                           : independent > 0 ? fmt::format("standard deviation {:.4g}", independent)
                                                             : std::string("a standard deviation for each sensor");
                   return fmt::format(
                       "Normal: a part that is correlated in space, with {} kernel, standard deviation "
                       "{:.4g} and length-scale {}, and an independent one with {}; together {} for each "
                       "measurement.",
                       kernel, c.sd, fmt::join(c.length_scale, " x "), own, write_sds(sigma));
                 },
                 [&](const StudentNoiseConfig& c) {
                   return fmt::format(
                       "Independent, with heavy tails: Student-t with {:.4g} degrees of freedom and scale "
                       "{} for each measurement.",
                       c.degrees_of_freedom, sds);
                 }},
      config.kind);
}

}  // namespace varimesh::run
