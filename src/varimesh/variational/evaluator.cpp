#include "varimesh/variational/evaluator.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "varimesh/error.h"
#include "varimesh/inverse/information_root.h"
#include "varimesh/linalg/finite.h"
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

/// A Jacobian that is not finite is as good as none.
Matrix finite_or_zero(Matrix a) {
  if (!linalg::all_finite(a.reshaped())) a.setZero();
  return a;
}

/// What linearizations cost, counted by several threads.
struct Work {
  std::atomic<long long> linearizations = 0, tangents = 0, adjoints = 0;

  result::Counts counts() const {
    return {.jacobians = linearizations,
            .forward_solves = linearizations + tangents,
            .adjoint_solves = adjoints,
            .factorizations = linearizations};
  }
};

/// A J of one linearization, with A that of the noise; zero if there is none.
class WeightedJacobian final : public InformationFactor {
 public:
  WeightedJacobian(std::unique_ptr<inverse::Linearization> linearization, const inverse::InformationRoot& root,
                   Eigen::Index unknowns, Work& work)
      : linearization_(std::move(linearization)), root_(root), unknowns_(unknowns), work_(work) {}

  Matrix rows() const override {
    if (!linearization_) return Matrix::Zero(root_.size(), unknowns_);
    Matrix a = linearization_->jacobian();
    work_.adjoints += a.rows();
    require_size(a.cols(), unknowns_, "a Jacobian row");
    require_size(a.rows(), root_.size(), "a Jacobian column");
    root_.multiply(linearization_->prediction(), a);
    return finite_or_zero(std::move(a));
  }
  Matrix transposed_times(const Matrix& w) const override {
    if (!linearization_) return Matrix::Zero(unknowns_, w.cols());
    Matrix weighted = w;
    root_.multiply_transposed(linearization_->prediction(), weighted);
    Matrix x = linearization_->jacobian_transposed_block(weighted);
    work_.adjoints += w.cols();
    require_size(x.rows(), unknowns_, "a gradient");
    return finite_or_zero(std::move(x));
  }
  Matrix times(const Matrix& v) const override {
    if (!linearization_) return Matrix::Zero(root_.size(), v.cols());
    Matrix y = linearization_->jacobian_block(v);
    work_.tangents += v.cols();
    require_size(y.rows(), root_.size(), "a derivative of predictions");
    root_.multiply(linearization_->prediction(), y);
    return finite_or_zero(std::move(y));
  }

 private:
  std::unique_ptr<inverse::Linearization> linearization_;
  const inverse::InformationRoot& root_;
  Eigen::Index unknowns_;
  Work& work_;
};

}  // namespace

Evaluator::Evaluator(const inverse::Posterior& posterior, int threads) : posterior_(posterior), threads_(threads) {
  if (threads < 1) throw InputError(fmt::format("expected 1 or more threads, found {}", threads));
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

void Evaluator::widen_test_matrix(Index width) {
  test_matrix_.reset();  // its memory is needed for the next one
  test_matrix_ = std::make_unique<const TestMatrix>(posterior_.gaussian_prior()->gaussian(), width, threads_);
}

Evaluator::Linearized Evaluator::linearize(const Matrix& kappa, Index max_samples, double negligible,
                                           noise::Bend bend) {
  const inverse::GaussianLikelihood& likelihood = *posterior_.gaussian_likelihood();
  const inverse::Observations& data = likelihood.observations();
  const inverse::InformationRoot root(data, bend);
  const auto samples = static_cast<Index>(kappa.cols());
  const Index rows = likelihood.model().num_predictions();
  Linearized result{Vector(samples), Matrix(kappa.rows(), samples),
                    Curvature(*posterior_.gaussian_prior(), rows, samples, max_samples, negligible, threads_)};

  /// Value and gradient at one column; gives a factor of the information.
  Work work;
  const auto factor = [&](Index s) -> std::unique_ptr<InformationFactor> {
    ++work.linearizations;
    auto linearization = likelihood.model().linearize(kappa.col(s));
    const Vector& prediction = linearization->prediction();
    result.values[s] = inverse::log_likelihood(data, prediction);
    if (std::isfinite(result.values[s])) {
      // gradient = J' d log p / dG
      const Vector gradient = linearization->jacobian_transposed(inverse::log_likelihood_slope(data, prediction));
      require_size(gradient.size(), kappa.rows(), "a gradient");
      result.gradients.col(s) = gradient;
      ++work.adjoints;
    }
    result.values[s] = finite_or_failed(result.values[s], result.gradients.col(s));
    if (result.values[s] == failed) linearization = nullptr;
    return std::make_unique<WeightedJacobian>(std::move(linearization), root, kappa.rows(), work);
  };

  if (result.curvature.needs_sketch() && !test_matrix_) {
    // Averages over draws have a higher rank than one Jacobian, above all if that is limited by the number of rows.
    constexpr Index first_guess = 160;
    const Index spare = std::min(40, 12 + rank_ / 2);
    const bool limited = rank_ > rows - rows / 5;
    widen_test_matrix(rank_ > 0 ? (limited ? 8 : 6) * rank_ / 5 + spare : first_guess);
  }
  while (!result.curvature.fill(factor, test_matrix_.get()) && result.values.allFinite())
    widen_test_matrix(7 * test_matrix_->omega->columns() / 4);
  // A sketch will not look for the small ones, which cost less than 1e-4 nats each.
  if (result.curvature.is_low_rank())
    rank_ = static_cast<Index>((result.curvature.spectrum().values.array() > 0.02).count());
  counts_ += work.counts();
  return result;
}

}  // namespace varimesh::variational
