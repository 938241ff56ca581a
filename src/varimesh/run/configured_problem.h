#pragma once

#include "varimesh/run/build.h"
#include "varimesh/run/inverse_problem.h"

namespace varimesh::run {

/// The problem of a problem file as inference sees it. Configuration and problem must outlive it.
class ConfiguredProblem final : public InverseProblem {
 public:
  ConfiguredProblem(const Config& config, const Problem& problem);

  Prediction predict(const Vector& unknowns) const override;
  Vector quantities(const Vector& unknowns) const override;
  Vector quantity_slopes(const Vector& unknowns, const Vector& direction) const override;
  std::optional<linalg::Graph> neighbour_graph() const override;
  double workspace_bytes() const override;
  EvaluationCost cost() const override;
  CoarseStart fit_coarse(const inverse::Posterior& posterior, const variational::FitOptions& options,
                         const result::FitObserver& observer) const override;
  result::MeshCheck check_mesh(const Matrix& fields, double available) const override;
  std::vector<NamedPrior> alternative_priors() const override;

 private:
  const Config& config_;
  const Problem& problem_;
};

}  // namespace varimesh::run
