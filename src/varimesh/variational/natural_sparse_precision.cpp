#include <algorithm>
#include <cmath>

#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/chordal_dense.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/parallel.h"
#include "varimesh/variational/natural_families.h"

namespace varimesh::variational {
namespace {

using gaussian::SparseGaussian;
using linalg::CliqueTree;

/// P = Q_prior + H, seen from normal distributions on a pattern.
class PosteriorPrecision {
 public:
  PosteriorPrecision(const inverse::GaussianPrior& prior, const Curvature& curvature, const CliqueTree& tree,
                     int threads)
      : curvature_columns_(curvature.columns()), threads_(threads) {
    if (prior.has_sparse_precision()) inside_ = linalg::values_on_pattern(tree, *prior.sparse_precision());
    if (curvature.is_sparse()) inside_ += curvature.values();
    if (!prior.has_sparse_precision() && !prior.dense_precision()) prior_columns_ = precision_root(prior);
    if (prior.dense_precision() && curvature.is_dense()) sum_ = *prior.dense_precision() + curvature.dense();
    one_ = curvature.is_dense() ? &curvature.dense() : prior.dense_precision();
  }

  /// What of P lies in the pattern, and therefore is its own projection; empty if nothing does.
  const Vector& inside() const { return inside_; }
  bool all_inside() const { return !dense() && curvature_columns_.cols() == 0 && prior_columns_.cols() == 0; }

  /// tr(P Sigma). `sigma`: Sigma on the pattern.
  double trace(const CliqueTree& tree, const Vector& factor, const Vector& sigma) const {
    double result = inside_.size() > 0 ? linalg::chordal_inner_product(tree, inside_, sigma) : 0;
    // tr(Y Y' Sigma) = |L^-1 Y|^2
    for (const Matrix* columns : {&curvature_columns_, &prior_columns_}) {
      if (columns->cols() > 0)
        result += solve_columns(tree, factor, *columns, linalg::chordal_solve_lower).squaredNorm();
    }
    if (dense()) result += linalg::chordal_dense_trace(tree, factor, *dense(), nullptr);
    return result;
  }

  /// [Sigma (P without what lies in the pattern) Sigma] on the pattern.
  Vector congruence(const CliqueTree& tree, const Vector& factor) const {
    Vector result = Vector::Zero(factor.size());
    const auto solve = [](const CliqueTree& t, const Vector& l, const Eigen::Ref<Matrix>& x) {
      linalg::chordal_solve_lower(t, l, x);
      linalg::chordal_solve_upper(t, l, x);
    };
    for (const Matrix* columns : {&curvature_columns_, &prior_columns_}) {
      if (columns->cols() > 0)
        result += linalg::chordal_gram(tree, solve_columns(tree, factor, *columns, solve).transpose(), threads_);
    }
    if (dense()) result += linalg::chordal_dense_congruence(tree, factor, *dense());
    return result;
  }

 private:
  /// What of P is a dense matrix; null if nothing is.
  const Matrix* dense() const { return sum_.size() > 0 ? &sum_ : one_; }

  /// Y in the tree's numbering, after solve(tree, factor, Y), by blocks of columns on several threads.
  template <class Solve>
  Matrix solve_columns(const CliqueTree& tree, const Vector& factor, const Matrix& columns, const Solve& solve) const {
    constexpr Eigen::Index width = 32;
    Matrix result = linalg::to_tree(tree, columns);
    parallel_for_blocks(result.cols(), width, threads_, [&](Eigen::Index first, Eigen::Index count) {
      solve(tree, factor, result.middleCols(first, count));
    });
    return result;
  }

  Matrix curvature_columns_;  ///< Y of the curvature's part of low rank
  int threads_;
  Vector inside_;
  Matrix prior_columns_;         ///< of the prior's precision, if it is neither sparse nor a dense matrix
  Matrix sum_;                   ///< of the prior's precision and H, if both are dense matrices
  const Matrix* one_ = nullptr;  ///< the one of them that is
};

/// F(Q) = -1/2 tr(P Q^-1) - 1/2 log det Q at one Q = L L' on the pattern.
struct Point {
  Vector precision, factor, sigma;
  double value = 0;
};

/// Maximises F over the pattern by conjugate gradients in the Fisher metric <A, B> = tr(Sigma A Sigma B). There the
/// gradient is N / 2 with N = B - Q, B the Fisher projection of P: a full step along it is the natural gradient's.
class PrecisionSearch {
 public:
  PrecisionSearch(const PosteriorPrecision& posterior, std::shared_ptr<const CliqueTree> tree, int threads)
      : posterior_(posterior), tree_(std::move(tree)), threads_(threads) {}

  std::optional<Point> evaluate(Vector precision) const {
    Point point{.precision = std::move(precision), .factor = {}, .sigma = {}};
    point.factor = point.precision;
    if (!linalg::chordal_cholesky(*tree_, point.factor, threads_)) return std::nullopt;
    const double log_determinant = linalg::chordal_log_determinant(*tree_, point.factor);
    if (!std::isfinite(log_determinant)) return std::nullopt;
    point.sigma = linalg::chordal_selected_inverse(*tree_, point.factor, threads_);
    point.value = -0.5 * (posterior_.trace(*tree_, point.factor, point.sigma) + log_determinant);
    return point;
  }

  /// Until an iteration gains less than `tolerance` nats.
  Point maximize(Point point, double tolerance, Index max_iterations) const {
    // Differences of F below this drown in rounding; then only slopes tell how far to go.
    const double rounding = 1e-10 * (1 + std::abs(point.value));
    Vector direction, previous;
    double previous_norm = 0;
    for (Index iteration = 0; iteration < max_iterations; ++iteration) {
      const Vector natural = natural_direction(point);
      const Vector dual = dual_of(point, natural);
      const double norm = inner(natural, dual);
      if (!(norm / 2 > tolerance)) break;
      // Polak and Ribiere's conjugation, dropped where it would point downhill.
      const double beta = iteration > 0 ? std::max(0.0, (norm - inner(previous, dual)) / previous_norm) : 0;
      direction = beta > 0 ? Vector(natural + beta * direction) : natural;
      double slope = 0.5 * inner(direction, dual);
      if (!(slope > 0)) {
        direction = natural;
        slope = norm / 2;
      }
      std::optional<Point> next =
          slope > rounding ? search_line(point, direction, slope) : search_slope(point, direction, slope);
      if (!next || (slope > rounding && !(next->value > point.value))) break;
      const double gain = slope > rounding ? next->value - point.value : slope;
      point = std::move(*next);
      if (gain < tolerance) break;
      previous = natural;
      previous_norm = norm;
    }
    return point;
  }

 private:
  double inner(const Vector& a, const Vector& b) const { return linalg::chordal_inner_product(*tree_, a, b); }

  /// B - Q with [Sigma B Sigma] = [Sigma P Sigma] on the pattern.
  Vector natural_direction(const Point& point) const {
    Vector result = -point.precision;
    if (posterior_.inside().size() > 0) result += posterior_.inside();
    if (!posterior_.all_inside())
      result += linalg::chordal_fisher_projection(*tree_, point.factor, point.sigma,
                                                  posterior_.congruence(*tree_, point.factor), threads_);
    return result;
  }

  /// [Sigma A Sigma] on the pattern.
  Vector dual_of(const Point& point, const Vector& a) const {
    return linalg::chordal_congruence(*tree_, point.factor, point.sigma, a, threads_);
  }

  /// Where F' vanishes along the line, by one secant step.
  std::optional<Point> search_slope(const Point& from, const Vector& direction, double slope) const {
    constexpr double rho = 0.5;
    const std::optional<Point> trial = evaluate(from.precision + rho * direction);
    if (!trial) return std::nullopt;
    const double trial_slope = 0.5 * inner(direction, dual_of(*trial, natural_direction(*trial)));
    if (!(slope > trial_slope)) return std::nullopt;
    return evaluate(from.precision + rho * slope / (slope - trial_slope) * direction);
  }

  /// The best of up to three trials; the second and third are where the parabola through F(0), F'(0) and F(rho) has its
  /// maximum.
  std::optional<Point> search_line(const Point& from, const Vector& direction, double slope) const {
    std::optional<Point> best;
    double rho = 1;
    for (int count = 0; count < 3; ++count) {
      std::optional<Point> trial;
      while (!(trial = evaluate(from.precision + rho * direction)) && rho > 1e-8) rho /= 2;
      if (!trial) break;
      const double excess = slope * rho - (trial->value - from.value);
      const double maximizer = excess > 0 ? slope * rho * rho / (2 * excess) : 2 * rho;
      if (!best || trial->value > best->value) best = std::move(trial);
      const double next = std::clamp(maximizer, 0.1 * rho, 4 * rho);
      if (std::abs(next - rho) < 0.2 * rho) break;
      rho = next;
    }
    return best;
  }

  const PosteriorPrecision& posterior_;
  std::shared_ptr<const CliqueTree> tree_;
  int threads_;
};

/// Most iterations of conjugate gradients in one step; the next step goes on where they stopped.
Index max_iterations(Index size) { return size < large_problem ? 10 : 2; }

class SparsePrecisionStep final : public NaturalStep {
 public:
  SparsePrecisionStep(const SparsePrecision& q, Vector direction, PosteriorPrecision posterior, double tolerance,
                      int threads)
      : NaturalStep(std::move(direction)),
        q_(q),
        posterior_(std::move(posterior)),
        search_(posterior_, q.gaussian().shared_tree(), threads) {
    start_ = search_.evaluate(linalg::chordal_product(q.gaussian().tree(), q.gaussian().factor(), threads));
    if (start_) best_ = search_.maximize(*start_, tolerance, max_iterations(q.size()));
  }

  std::optional<Candidate> take(double mean_scale, double scale) const override {
    if (!start_) return std::nullopt;
    if (scale == 1) return candidate(best_, mean_scale);
    const auto point = search_.evaluate((1 - scale) * start_->precision + scale * best_.precision);
    return point ? std::optional(candidate(*point, mean_scale)) : std::nullopt;
  }

 private:
  Candidate candidate(const Point& point, double mean_scale) const {
    return {std::make_unique<SparsePrecision>(
                SparseGaussian(q_.mean() + mean_scale * direction(), q_.gaussian().shared_tree(), point.factor)),
            point.value - start_->value};
  }

  const SparsePrecision& q_;
  PosteriorPrecision posterior_;
  PrecisionSearch search_;
  std::optional<Point> start_;
  Point best_;
};

}  // namespace

std::unique_ptr<NaturalStep> natural_step(const SparsePrecision& q, const inverse::GaussianPrior& prior,
                                          Curvature& curvature, const Vector& gradient, double tolerance, int threads) {
  if (!curvature.factorize()) return nullptr;
  return std::make_unique<SparsePrecisionStep>(q, curvature.solve(gradient),
                                               PosteriorPrecision(prior, curvature, q.gaussian().tree(), threads),
                                               tolerance, threads);
}

}  // namespace varimesh::variational
