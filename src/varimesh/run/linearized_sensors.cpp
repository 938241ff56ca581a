#include "varimesh/run/linearized_sensors.h"

#include "varimesh/inverse/information_root.h"
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
  if (!data.has_normal_noise()) return std::nullopt;
  if (data.size() > most_sensors || static_cast<double>(data.size()) * posterior.size() > most_numbers)
    return std::nullopt;

  variational::Evaluator evaluator(posterior, threads);
  // A thousandth of a nat is a twentieth of an sd at most.
  const variational::MapEstimate mode = maximum_a_posteriori(evaluator, {.tolerance = 1e-3, .start = start});
  if (!mode.converged) return std::nullopt;
  const auto linearization = likelihood->model().linearize(mode.kappa);
  LinearizedSensors found{mode.kappa, linearization->prediction(), Vector(data.size()), Matrix(), Matrix()};
  if (!found.predicted.allFinite()) return std::nullopt;

  // With A'A = Gamma^-1, B = A J R and the prior N(mean, R R'):
  //     H = dprediction / dmeasured = I - (I + B B')^-1 if Gamma is diagonal,   dkappa / dmeasured = R B' (I + B B')^-1
  //     A
  const inverse::InformationRoot root(data);
  Matrix rows = linearization->jacobian();
  found.slope = rows.transpose();
  root.multiply(found.predicted, rows);
  Matrix columns = rows.transpose();
  prior->gaussian().multiply_root_transposed(columns);
  Matrix factor = linalg::transposed_product(columns, columns);
  factor.diagonal().array() += 1;
  Matrix inverse = Matrix::Identity(data.size(), data.size());
  if (!linalg::cholesky(factor)) return std::nullopt;
  linalg::solve_triangular(factor, linalg::Transpose::no, inverse);
  linalg::solve_triangular(factor, linalg::Transpose::yes, inverse);
  if (!inverse.allFinite()) return std::nullopt;
  found.leverage = 1 - inverse.diagonal().array();
  Matrix gain = linalg::product(columns, inverse).transpose();
  root.multiply_transposed(found.predicted, gain);
  found.gain = gain.transpose();
  prior->gaussian().multiply_root(found.gain);
  if (data.noise) {
    // S^-1 = A'(I + B B')^-1 A is the precision of all data before measuring; h_i = 1 - (S^-1)_ii / (Gamma^-1)_ii
    root.multiply_transposed(found.predicted, inverse);
    Matrix precision = inverse.transpose();
    root.multiply_transposed(found.predicted, precision);
    found.leverage = 1 - precision.diagonal().array() * data.noise->standard_error().array().square();
    // what is predicted given the others is affine in G: its derivative takes the place of J
    const Matrix unmoved = data.noise->given_others(Matrix::Zero(data.size(), 1));
    const Matrix moved = data.noise->given_others(Matrix::Identity(data.size(), data.size()));
    found.slope = linalg::product(found.slope, (moved.colwise() - unmoved.col(0)).transpose());
    found.predicted = data.noise->given_others(found.predicted);
  }
  return found;
}

}  // namespace varimesh::run
