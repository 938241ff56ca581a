#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "varimesh/run/input_file.h"
#include "varimesh/run/origin.h"

namespace varimesh::run {

class Setting;

/// Normal errors with a covariance matrix from a file.
struct CovarianceNoiseConfig {
  InputFile file;
};

/// Normal errors that are correlated in space, beside those by sigma.
struct KernelNoiseConfig {
  std::string kernel = "matern32";
  double sd = 0;
  std::vector<double> length_scale;  ///< one, or one for each axis
};

/// Errors with heavy tails.
struct StudentNoiseConfig {
  double degrees_of_freedom = 4;
};

/// How measurements scatter around what the model predicts.
struct NoiseConfig {
  Origin origin;                   ///< of the key noise, else of sigma
  std::optional<double> sigma;     ///< of every measurement, the least if it is relative; absent: a column of the file
  std::optional<double> relative;  ///< sigma as a share of the reading
  std::variant<std::monostate, CovarianceNoiseConfig, KernelNoiseConfig, StudentNoiseConfig> kind;
};

/// From the keys `sigma` and `noise` of a table; `find_file` gives the file that a setting names.
NoiseConfig read_noise(const Setting& observations, const std::function<InputFile(const Setting&)>& find_file);

}  // namespace varimesh::run
