#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/inverse/posterior.h"
#include "varimesh/linalg/graph.h"
#include "varimesh/result/counts.h"
#include "varimesh/result/fit_record.h"
#include "varimesh/result/mesh_check.h"
#include "varimesh/result/prior_sensitivity.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/variational/fit.h"

namespace varimesh::run {

/// What one vector of unknowns leads to.
struct Prediction {
  Vector u;           ///< the state: a number for each node of the mesh, or none
  Vector readings;    ///< of each sensor, without the noise of a measurement
  Vector quantities;  ///< each that is asked for
  bool ok = false;    ///< whether the model could be evaluated; if not, the rest is not looked at
};

/// A fit of low rank on a coarser mesh, carried over to the problem's own.
struct CoarseStart {
  std::shared_ptr<const variational::GaussianFamily> q = nullptr;  ///< null if there is none
  Index unknowns = 0;                                              ///< of the coarser mesh
  result::Counts counts = {};                                      ///< of work there
};

/// A prior to be compared with another one; building it throws InputError if it makes no sense.
struct NamedPrior {
  result::PriorAlternative::Change change;
  std::string name;
  std::function<std::shared_ptr<const inverse::Prior>()> build;
};

/// Multiplications that a model takes, about; zero if nobody knows.
struct EvaluationCost {
  double solve = 0;  ///< one prediction
  double row = 0;    ///< one row of the Jacobian after that
};

/// A problem as inference and all that follows from it see it, beside its posterior: what its unknowns, sensors and
/// quantities are, and what unknowns lead to. Derive from it to bring a solver of your own; only `predict` must be
/// written. Const members must be safe to call from several threads.
class InverseProblem {
 public:
  /// The record says what files and reports need to know. `observations` are what the sensors of the record measured,
  /// if the likelihood is of these; then the fit to the data is judged.
  explicit InverseProblem(result::ProblemRecord record,
                          std::optional<inverse::Observations> observations = std::nullopt);
  virtual ~InverseProblem() = default;
  InverseProblem(const InverseProblem&) = delete;
  InverseProblem& operator=(const InverseProblem&) = delete;

  const result::ProblemRecord& record() const { return record_; }
  /// Null if there are none, or if the likelihood is a black box.
  const inverse::Observations* observations() const { return observations_ ? &*observations_ : nullptr; }

  virtual Prediction predict(const Vector& unknowns) const = 0;
  /// Numbers in Prediction::u: one for each node of the mesh, or none.
  virtual Index num_states() const { return record_.mesh.num_nodes(); }

  // What some problems can do better, or at all.

  /// The quantities alone; NaN where the model fails.
  virtual Vector quantities(const Vector& unknowns) const;
  /// Their derivatives along a direction; by central differences unless there is something better.
  virtual Vector quantity_slopes(const Vector& unknowns, const Vector& direction) const;
  /// Which unknowns are neighbours: what a fit with a sparse precision matrix couples. None if nobody knows.
  virtual std::optional<linalg::Graph> neighbour_graph() const { return std::nullopt; }
  /// Bytes that a model takes on each thread.
  virtual double workspace_bytes() const { return 0; }
  virtual EvaluationCost cost() const { return {}; }
  /// Where a fit can begin; none if there is no coarser problem.
  virtual CoarseStart fit_coarse(const inverse::Posterior& posterior, const variational::FitOptions& options,
                                 const result::FitObserver& observer) const;
  /// What refining the mesh changes at fields, one a column; nothing if there is no finer mesh. It may take so many
  /// bytes.
  virtual result::MeshCheck check_mesh(const Matrix& fields, double available) const;
  /// Priors that might have been assumed instead.
  virtual std::vector<NamedPrior> alternative_priors() const { return {}; }

 private:
  result::ProblemRecord record_;
  std::optional<inverse::Observations> observations_;
};

}  // namespace varimesh::run
