#pragma once

#include <string>
#include <variant>

namespace varimesh::hyper {

/// What is believed of one number before measuring, as a map from a standard normal variable t to that number: psi(t)
/// has the prior's distribution. In t every prior is the same, no bounds are needed, and chains and fits are whitened.
class Hyperprior {
 public:
  static Hyperprior normal(double mean, double sd);
  /// The logarithm is normal.
  static Hyperprior log_normal(double median, double sd_of_logarithm);
  /// |N(0, scale^2)|
  static Hyperprior half_normal(double scale);
  static Hyperprior uniform(double lower, double upper);
  /// Penalised complexity of a standard deviation (Simpson et al. 2017): exponential, with P(sd > upper) = probability.
  static Hyperprior penalised_sd(double upper, double probability);
  /// Penalised complexity of a field's range in `dimension` dimensions (Fuglstad et al. 2019), with
  /// P(range < lower) = probability: P(range < r) = exp(-lambda r^(-dimension/2)).
  static Hyperprior penalised_range(double lower, double probability, int dimension);

  /// psi(t), increasing.
  double value(double t) const;
  /// t of a psi within the support.
  double standard(double value) const;
  /// d psi / dt.
  double derivative(double t) const;
  /// log p(psi), and its derivative by psi.
  double log_density(double value) const;
  double log_density_derivative(double value) const;

  /// As in "log-normal with median 0.2 and sd 1 of its logarithm".
  std::string words() const;

 private:
  struct Normal {
    double mean, sd;
  };
  struct LogNormal {
    double median, sd;
  };
  struct HalfNormal {
    double scale;
  };
  struct Uniform {
    double lower, upper;
  };
  /// Survival exp(-rate x).
  struct PenalisedSd {
    double rate, upper, probability;
  };
  /// Distribution function exp(-rate x^-power).
  struct PenalisedRange {
    double rate, power, lower, probability;
  };
  using Kind = std::variant<Normal, LogNormal, HalfNormal, Uniform, PenalisedSd, PenalisedRange>;

  explicit Hyperprior(Kind kind) : kind_(kind) {}

  Kind kind_;
};

}  // namespace varimesh::hyper
