#include "varimesh/hyper/hyperprior.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "varimesh/error.h"
#include "varimesh/special_functions.h"

namespace varimesh::hyper {
namespace {

template <class... Visitors>
struct Choose : Visitors... {
  using Visitors::operator()...;
};

const double log_root_two_pi = 0.5 * std::log(2 * std::numbers::pi);

void require_positive_number(double value, const char* what) {
  if (!(value > 0 && std::isfinite(value)))
    throw InputError(fmt::format("expected a positive {}, found {}", what, value));
}

void require_probability(double value) {
  if (!(value > 0 && value < 1))
    throw InputError(fmt::format("expected a probability between 0 and 1, found {}", value));
}

/// Phi(t), without loss of digits where it is small.
double normal_below(double t) { return 0.5 * std::erfc(-t / std::numbers::sqrt2); }

/// log Phi(t), without loss of digits at either end.
double log_normal_below(double t) { return t < 0 ? std::log(normal_below(t)) : std::log1p(-normal_below(-t)); }

/// t with log Phi(t) = log_below.
double quantile_of_log(double log_below) {
  const double below = std::exp(log_below), above = -std::expm1(log_below);
  return below < 0.5 ? normal_quantile(below) : -normal_quantile(above);
}

}  // namespace

Hyperprior Hyperprior::normal(double mean, double sd) {
  if (!std::isfinite(mean)) throw InputError(fmt::format("expected a finite mean, found {}", mean));
  require_positive_number(sd, "sd");
  return Hyperprior(Normal{mean, sd});
}

Hyperprior Hyperprior::log_normal(double median, double sd_of_logarithm) {
  require_positive_number(median, "median");
  require_positive_number(sd_of_logarithm, "sd of the logarithm");
  return Hyperprior(LogNormal{median, sd_of_logarithm});
}

Hyperprior Hyperprior::half_normal(double scale) {
  require_positive_number(scale, "scale");
  return Hyperprior(HalfNormal{scale});
}

Hyperprior Hyperprior::uniform(double lower, double upper) {
  if (!(std::isfinite(lower) && std::isfinite(upper) && lower < upper))
    throw InputError(fmt::format("expected an interval, found {} to {}", lower, upper));
  return Hyperprior(Uniform{lower, upper});
}

Hyperprior Hyperprior::penalised_sd(double upper, double probability) {
  require_positive_number(upper, "sd");
  require_probability(probability);
  return Hyperprior(PenalisedSd{-std::log(probability) / upper, upper, probability});
}

Hyperprior Hyperprior::penalised_range(double lower, double probability, int dimension) {
  require_positive_number(lower, "range");
  require_probability(probability);
  const double power = dimension / 2.0;
  return Hyperprior(PenalisedRange{-std::log(probability) * std::pow(lower, power), power, lower, probability});
}

double Hyperprior::value(double t) const {
  return std::visit(
      Choose{[t](const Normal& p) { return p.mean + p.sd * t; },
             [t](const LogNormal& p) { return p.median * std::exp(p.sd * t); },
             // P(|N| > x) = Phi(-t); of small x, 1/2 + P(|N| < x) / 2 is Phi(x)
             [t](const HalfNormal& p) {
               return t > 0 ? -p.scale * normal_quantile(0.5 * normal_below(-t))
                            : p.scale * normal_quantile(0.5 + 0.5 * normal_below(t));
             },
             [t](const Uniform& p) { return p.lower + (p.upper - p.lower) * normal_below(t); },
             [t](const PenalisedSd& p) { return -log_normal_below(-t) / p.rate; },
             [t](const PenalisedRange& p) { return std::pow(p.rate / -log_normal_below(t), 1 / p.power); }},
      kind_);
}

double Hyperprior::standard(double value) const {
  return std::visit(
      Choose{[value](const Normal& p) { return (value - p.mean) / p.sd; },
             [value](const LogNormal& p) { return std::log(value / p.median) / p.sd; },
             [value](const HalfNormal& p) {
               const double z = value / (p.scale * std::numbers::sqrt2);
               return z > 0.5 ? -normal_quantile(std::erfc(z)) : normal_quantile(std::erf(z));
             },
             [value](const Uniform& p) { return normal_quantile((value - p.lower) / (p.upper - p.lower)); },
             [value](const PenalisedSd& p) { return -quantile_of_log(-p.rate * value); },
             [value](const PenalisedRange& p) { return quantile_of_log(-p.rate * std::pow(value, -p.power)); }},
      kind_);
}

double Hyperprior::derivative(double t) const {
  // p(psi) dpsi/dt = phi(t)
  return std::exp(-0.5 * t * t - log_root_two_pi - log_density(value(t)));
}

double Hyperprior::log_density(double value) const {
  return std::visit(Choose{[value](const Normal& p) {
                             const double z = (value - p.mean) / p.sd;
                             return -0.5 * z * z - std::log(p.sd) - log_root_two_pi;
                           },
                           [value](const LogNormal& p) {
                             const double z = std::log(value / p.median) / p.sd;
                             return -0.5 * z * z - std::log(p.sd * value) - log_root_two_pi;
                           },
                           [value](const HalfNormal& p) {
                             const double z = value / p.scale;
                             return -0.5 * z * z - std::log(p.scale / 2) - log_root_two_pi;
                           },
                           [](const Uniform& p) { return -std::log(p.upper - p.lower); },
                           [value](const PenalisedSd& p) { return std::log(p.rate) - p.rate * value; },
                           [value](const PenalisedRange& p) {
                             return std::log(p.rate * p.power) - (p.power + 1) * std::log(value) -
                                    p.rate * std::pow(value, -p.power);
                           }},
                    kind_);
}

double Hyperprior::log_density_derivative(double value) const {
  return std::visit(
      Choose{[value](const Normal& p) { return (p.mean - value) / (p.sd * p.sd); },
             [value](const LogNormal& p) { return -(std::log(value / p.median) / (p.sd * p.sd) + 1) / value; },
             [value](const HalfNormal& p) { return -value / (p.scale * p.scale); }, [](const Uniform&) { return 0.0; },
             [](const PenalisedSd& p) { return -p.rate; },
             [value](const PenalisedRange& p) {
               return (p.rate * p.power * std::pow(value, -p.power) - p.power - 1) / value;
             }},
      kind_);
}

std::string Hyperprior::words() const {
  return std::visit(
      Choose{[](const Normal& p) { return fmt::format("normal with mean {:.4g} and sd {:.4g}", p.mean, p.sd); },
             [](const LogNormal& p) {
               return fmt::format("log-normal with median {:.4g} and sd {:.4g} of its logarithm", p.median, p.sd);
             },
             [](const HalfNormal& p) { return fmt::format("half-normal with scale {:.4g}", p.scale); },
             [](const Uniform& p) { return fmt::format("uniform from {:.4g} to {:.4g}", p.lower, p.upper); },
             [](const PenalisedSd& p) {
               return fmt::format("penalised complexity, above {:.4g} with probability {:.4g}", p.upper, p.probability);
             },
             [](const PenalisedRange& p) {
               return fmt::format("penalised complexity, below {:.4g} with probability {:.4g}", p.lower, p.probability);
             }},
      kind_);
}

}  // namespace varimesh::hyper
