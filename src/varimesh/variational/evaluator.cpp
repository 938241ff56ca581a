#include "varimesh/variational/evaluator.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "varimesh/error.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/parallel.h"

namespace varimesh::variational {
namespace {

constexpr double failed = -std::numeric_limits<double>::infinity();

/// A value and its gradient as they are if both are finite, else the mark of a failure.
double finite_or_failed(double value, Eigen::Ref<Vector> gradient) {
  if (std::isfinite(value) && gradient.allFinite()) return value;
  gradient.setZero();
  return failed;
}

void require_size(Eigen::Index found, Eigen::Index expected, const char* what) {
  if (found != expected)
    throw InputError(fmt::format("the model returned {} of size {}, expected {}", what, found, expected));
}

}  // namespace

Evaluator::Evaluator(const inverse::Posterior& posterior, int threads) : posterior_(posterior), threads_(threads) {
  if (threads < 1) throw InputError(fmt::format("expected 1 or more threads, found {}", threads));
  linalg::use_one_blas_thread();
}

Vector Evaluator::values(const Matrix& kappa) {
  Vector result(kappa.cols());
  parallel_for(static_cast<Index>(kappa.cols()), threads_, [&](Index s) {
    const double value = posterior_.likelihood().value(kappa.col(s));
    result[s] = std::isfinite(value) ? value : failed;
  });
  counts_.values += kappa.cols();
  counts_.forward_solves += kappa.cols();
  counts_.factorizations += kappa.cols();
  return result;
}

Vector Evaluator::values_and_gradients(const Matrix& kappa, Matrix& gradients) {
  Vector result(kappa.cols());
  gradients.resize(kappa.rows(), kappa.cols());
  parallel_for(static_cast<Index>(kappa.cols()), threads_, [&](Index s) {
    Vector gradient(kappa.rows());
    result[s] = posterior_.likelihood().value_and_gradient(kappa.col(s), gradient);
    require_size(gradient.size(), kappa.rows(), "a gradient");
    gradients.col(s) = gradient;
    result[s] = finite_or_failed(result[s], gradients.col(s));
  });
  counts_.gradients += kappa.cols();
  counts_.forward_solves += kappa.cols();
  counts_.adjoint_solves += kappa.cols();
  counts_.factorizations += kappa.cols();
  return result;
}

Vector Evaluator::values_and_curvature(const Matrix& kappa, Matrix& gradients, Curvature& curvature) {
  const inverse::GaussianLikelihood& likelihood = *posterior_.gaussian_likelihood();
  const inverse::Observations& data = likelihood.observations();
  const Vector root_weight = data.weight.cwiseSqrt();
  const auto samples = static_cast<Index>(kappa.cols());
  Vector result(samples);
  gradients.resize(kappa.rows(), samples);

  /// Value and gradient at one column; gives A = Gamma^-1/2 J.
  const auto linearize = [&](Index s) {
    const auto linearization = likelihood.model().linearize(kappa.col(s));
    const Vector& prediction = linearization->prediction();
    result[s] = inverse::log_likelihood(data, prediction);
    Matrix a = Matrix::Zero(likelihood.model().num_predictions(), kappa.rows());
    if (std::isfinite(result[s])) {
      a = linearization->jacobian();
      require_size(a.cols(), kappa.rows(), "a Jacobian row");
      require_size(a.rows(), data.size(), "a Jacobian column");
      a.array().colwise() *= root_weight.array();
      // gradient = J' Gamma^-1 (mean - G) = A' Gamma^-1/2 (mean - G)
      gradients.col(s).noalias() = a.transpose() * root_weight.cwiseProduct(data.mean - prediction);
    }
    result[s] = finite_or_failed(result[s], gradients.col(s));
    if (result[s] == failed) a.setZero();
    return a;
  };

  curvature.fill(linearize);
  counts_.jacobians += samples;
  counts_.forward_solves += samples;
  counts_.adjoint_solves += static_cast<long long>(samples) * likelihood.model().num_predictions();
  counts_.factorizations += samples;
  return result;
}

}  // namespace varimesh::variational
