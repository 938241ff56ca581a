#include "varimesh/run/linearized_sensors.h"

#include "varimesh/linalg/dense.h"
#include "varimesh/variational/maximum_a_posteriori.h"

namespace varimesh::run {

std::optional<LinearizedSensors> linearize_sensors(const inverse::Posterior& posterior, const Vector& start,
                                                   int threads) {
  constexpr double most_numbers = 2e7;  // 160 MB
  constexpr Index most_sensors = 3000;  // whose matrix is factorised in a second
  const inverse::GaussianLikelihood* likelihood = posterior.gaussian_likelihood();
  const inverse::GaussianPrior* prior = posterior.gaussian_prior();
  if (!likelihood || !prior) return std::nullopt;
  const inverse::Observations& data = likelihood->observations();
  if (data.size() > most_sensors || static_cast<double>(data.size()) * posterior.size() > most_numbers)
    return std::nullopt;

  variational::Evaluator evaluator(posterior, threads);
  // A thousandth of a nat is a twentieth of an sd at most.
  const variational::MapEstimate mode = maximum_a_posteriori(evaluator, {.tolerance = 1e-3, .start = start});
  if (!mode.converged) return std::nullopt;
  const auto linearization = likelihood->model().linearize(mode.kappa);
  LinearizedSensors found{mode.kappa, linearization->prediction(), Vector(data.size()), Matrix(), Matrix()};
  if (!found.predicted.allFinite()) return std::nullopt;

  // With B = Gamma^-1/2 J R and the prior N(mean, R R'):
  //     H = dprediction / dmeasured = I - (I + B B')^-1,   dkappa / dmeasured = R B' (I + B B')^-1 Gamma^-1/2
  const Vector root_weight = data.weight.cwiseSqrt();
  found.slope = linearization->jacobian().transpose();
  Matrix columns = found.slope * root_weight.asDiagonal();
  prior->gaussian().multiply_root_transposed(columns);
  Matrix factor = linalg::transposed_product(columns, columns);
  factor.diagonal().array() += 1;
  Matrix inverse = Matrix::Identity(data.size(), data.size());
  if (!linalg::cholesky(factor)) return std::nullopt;
  linalg::solve_triangular(factor, linalg::Transpose::no, inverse);
  linalg::solve_triangular(factor, linalg::Transpose::yes, inverse);
  if (!inverse.allFinite()) return std::nullopt;
  found.leverage = 1 - inverse.diagonal().array();
  found.gain = linalg::product(columns, inverse) * root_weight.asDiagonal();
  prior->gaussian().multiply_root(found.gain);
  return found;
}

}  // namespace varimesh::run
