#include "varimesh/run/noise_config.h"

#include <fmt/format.h>

#include <charconv>

#include "varimesh/quote.h"
#include "varimesh/run/toml_reader.h"

namespace varimesh::run {
namespace {

constexpr double largest_share = 10;

double read_share(const Setting& setting) {
  const double share = setting.positive_number();
  if (share > largest_share)
    setting.fail(
        fmt::format("expected a share of the reading of at most {}, found {}: 5 % is 0.05", largest_share, share));
  return share;
}

/// "5 %" as 0.05.
double read_percentage(const Setting& setting) {
  const std::string text = setting.string();
  double percent = 0;
  const char* end = text.data() + text.size();
  const char* rest = std::from_chars(text.data(), end, percent).ptr;
  while (rest != end && *rest == ' ') ++rest;
  const bool is_percentage = rest != end && *rest == '%' && rest + 1 == end;
  if (!is_percentage || !(percent > 0 && percent <= 100 * largest_share))
    setting.fail(
        fmt::format("expected a number or a percentage of the reading such as \"5 %\", found {}", quote(text)));
  return percent / 100;
}

void read_sigma(const Setting& sigma, NoiseConfig& result) {
  if (sigma.is_number()) {
    result.sigma = sigma.positive_number();
  } else if (sigma.is_string()) {
    result.relative = read_percentage(sigma);
  } else if (sigma.is_table()) {
    sigma.allow({"relative", "floor"});
    const Setting relative = sigma.require("relative");
    result.relative = relative.is_string() ? read_percentage(relative) : read_share(relative);
    if (const auto floor = sigma.find("floor")) result.sigma = floor->positive_number();
  } else {
    sigma.fail_type("a number");
  }
}

KernelNoiseConfig read_kernel_noise(const Setting& noise) {
  noise.allow({"kind", "sd", "length_scale", "kernel"});
  KernelNoiseConfig result;
  result.sd = noise.require("sd").positive_number();
  const Setting scale = noise.require("length_scale");
  if (scale.is_array()) {
    for (const Setting& entry : scale.elements(1, 3)) result.length_scale.push_back(entry.positive_number());
  } else if (scale.is_number()) {
    result.length_scale = {scale.positive_number()};
  } else {
    scale.fail_type("a number or an array");
  }
  if (const auto kernel = noise.find("kernel"))
    result.kernel = kernel->choice({"squared_exponential", "matern12", "matern32", "matern52"});
  return result;
}

StudentNoiseConfig read_student_noise(const Setting& noise) {
  constexpr double fewest = 1, most = 1000;  // Cauchy; a normal distribution for all purposes
  noise.allow({"kind", "degrees_of_freedom"});
  StudentNoiseConfig result;
  if (const auto freedom = noise.find("degrees_of_freedom")) {
    result.degrees_of_freedom = freedom->number();
    if (!(result.degrees_of_freedom >= fewest && result.degrees_of_freedom <= most))
      freedom->fail(fmt::format("expected a number from {} to {}, found {}", fewest, most, result.degrees_of_freedom));
  }
  return result;
}

}  // namespace

NoiseConfig read_noise(const Setting& observations, const std::function<InputFile(const Setting&)>& find_file) {
  NoiseConfig result;
  if (const auto sigma = observations.find("sigma")) {
    result.origin = sigma->origin();
    read_sigma(*sigma, result);
  }
  const auto noise = observations.find("noise");
  if (!noise) return result;
  result.origin = noise->origin();
  const std::string kind = noise->require("kind").choice({"normal", "covariance", "correlated", "student"});
  if (kind == "normal") {
    noise->allow({"kind"});
  } else if (kind == "covariance") {
    noise->allow({"kind", "file"});
    result.kind = CovarianceNoiseConfig{find_file(noise->require("file"))};
    if (const auto sigma = observations.find("sigma"))
      sigma->fail("allowed only without a covariance matrix, which has the variances on its diagonal");
  } else if (kind == "correlated") {
    result.kind = read_kernel_noise(*noise);
  } else {
    result.kind = read_student_noise(*noise);
  }
  return result;
}

}  // namespace varimesh::run
