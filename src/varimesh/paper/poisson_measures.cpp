#include "varimesh/paper/poisson_measures.h"

#include <fmt/format.h>

#include <cmath>

namespace varimesh::paper {

Cases all_of(const std::vector<PoissonCase>& cases) {
  Cases pointers;
  for (const PoissonCase& some : cases) pointers.push_back(&some);
  return pointers;
}

Range relative_to_hmc(const Cases& cases, std::string_view method, double Repetition::* number) {
  Range range;
  for (const PoissonCase* some : cases) {
    std::vector<double> ratios = some->all(method, number);
    const std::vector<double> hmc = some->all("hmc", number);
    for (std::size_t k = 0; k < ratios.size(); ++k) ratios[k] /= hmc[k];
    range.include(quantile(ratios, 0.5));
  }
  return range;
}

Range medians(const Cases& cases, std::string_view method, double Repetition::* number) {
  Range range;
  for (const PoissonCase* some : cases) range.include(quantile(some->all(method, number), 0.5));
  return range;
}

Range flux_shift(const Cases& cases, std::string_view method) {
  Range range;
  for (const PoissonCase* some : cases) {
    std::vector<double> shifts = some->all(method, &Repetition::flux_mean);
    const auto mean = some->all("hmc", &Repetition::flux_mean), sd = some->all("hmc", &Repetition::flux_sd);
    for (std::size_t k = 0; k < shifts.size(); ++k) shifts[k] = std::abs(shifts[k] - mean[k]) / sd[k];
    range.include(quantile(shifts, 0.5));
  }
  return range;
}

Range speedup(const Cases& cases, std::string_view method) {
  Range range;
  for (const PoissonCase* some : cases)
    range.include(some->answers.of("hmc").seconds / some->answers.of(method).seconds);
  return range;
}

std::string repeated(const PoissonCase& some) {
  return some.repetitions.size() == 1 ? "one data set" : fmt::format("{} data sets", some.repetitions.size());
}

double likeness(const Matrix& precision, const Matrix& other) {
  // Partial correlation of unknowns i and j: -Q_ij / sqrt(Q_ii Q_jj)
  const auto partial = [](const Matrix& q) {
    const Vector scale = q.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix scaled = -(scale.asDiagonal() * q * scale.asDiagonal());
    Vector lower(q.rows() * (q.rows() - 1) / 2);
    for (Eigen::Index j = 0, k = 0; j < q.cols(); ++j) {
      for (Eigen::Index i = j + 1; i < q.rows(); ++i) lower[k++] = scaled(i, j);
    }
    return lower;
  };
  const Vector a = partial(precision), b = partial(other);
  const Vector x = a.array() - a.mean(), y = b.array() - b.mean();
  const double norms = x.norm() * y.norm();
  return norms > 0 ? x.dot(y) / norms : 0;
}

}  // namespace varimesh::paper
