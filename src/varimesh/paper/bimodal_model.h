#pragma once

#include <memory>
#include <string_view>

#include "varimesh/inverse/forward_model.h"
#include "varimesh/inverse/posterior.h"
#include "varimesh/types.h"
#include "varimesh/variational/adam.h"

namespace varimesh::paper {

// The paper's bimodal problem: -exp(kappa) u'' = f on (0, 1), u(0) = 0, u(1) = u_R, with the unknowns (kappa, log u_R).

/// What paper/bimodal.toml says. A column is a pair (kappa, log u_R).
struct BimodalConfig {
  double source = 0;
  Matrix truth;  ///< pairs that give the same u where it is measured; log u_R may be minus infinity
  double sensor = 0;
  Vector measurements;
  double sigma = 0;
  Matrix prior_means;
  double prior_variance = 0;
  variational::AdamOptions adam;
  Index draws = 0;  ///< of each component of the fitted mixture, to be kept
};

/// Throws InputError "paper/bimodal.toml:line: key: ..." for what is missing, unknown or out of range.
BimodalConfig read_bimodal(std::string_view text);

/// u at some x, in closed form.
class BimodalModel final : public inverse::ForwardModel {
 public:
  BimodalModel(double source, Vector x);

  Index num_parameters() const override { return 2; }
  Index num_predictions() const override { return static_cast<Index>(straight_.size()); }
  Vector predict(const Vector& unknowns) const override;
  std::unique_ptr<inverse::Linearization> linearize(const Vector& unknowns) const override;

 private:
  Vector straight_, bow_;
};

inverse::Posterior bimodal_posterior(const BimodalConfig& config);

/// log p(y | x) p(x) for every column x.
Vector log_joint(const inverse::Posterior& posterior, const Matrix& unknowns);

/// A regular grid in the plane of the two unknowns.
struct PlaneGrid {
  Vector kappa, log_u;

  /// A column each, all kappa for the first log u_R first.
  Matrix nodes() const;
};

/// One of the two parts of a distribution, on either side of a line between the modes.
struct Mode {
  double weight = 0;                                                             ///< probability
  Eigen::Vector2d mean = Eigen::Vector2d::Zero(), sd = Eigen::Vector2d::Zero();  ///< given that it is this mode
  double correlation = 0;                                                        ///< the same
  double log_peak = 0;                                                           ///< the largest log density
};

/// A distribution q beside the posterior p.
struct PlaneSummary {
  Mode low, high;                 ///< below and above the split of log u_R
  double log_pass = 0;            ///< the largest log density on the split: no way between the modes stays above it
  double divergence = 0;          ///< KL(q || p)
  double weight_divergence = 0;   ///< the part of it that is due to the weights of the modes
  double reverse_divergence = 0;  ///< KL(p || q)
};

/// The exact posterior by the trapezoidal rule on a grid that covers eight prior sds around each mode: exact to
/// rounding for smooth functions that vanish at the ends.
class BimodalQuadrature {
 public:
  static constexpr double usual_step = 0.04, usual_reach = 8;

  BimodalQuadrature(const BimodalConfig& config, const inverse::Posterior& posterior, double step = usual_step,
                    double reach = usual_reach);

  const Matrix& nodes() const { return nodes_; }
  /// log p(y).
  double log_evidence() const { return log_evidence_; }
  /// The log density of the posterior at the nodes.
  const Vector& log_posterior() const { return log_posterior_; }
  /// The log u_R that parts the modes: in the middle between those of the prior.
  double split() const { return split_; }

  /// The integral of a density.
  double mass(const Vector& log_density) const;
  /// From log densities at the nodes.
  PlaneSummary summarize(const Vector& log_density) const;

 private:
  Mode mode(const Vector& log_density, bool high) const;
  double divergence(const Vector& log_p, const Vector& log_q) const;

  Matrix nodes_;
  double step_, split_;
  double log_evidence_ = 0;
  Vector log_posterior_;
};

}  // namespace varimesh::paper
