#pragma once

#include "varimesh/diagnostics/chains_verdict.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/run/correct_fit.h"
#include "varimesh/run/inverse_problem.h"
#include "varimesh/run/mesh_check.h"
#include "varimesh/run/reweight.h"
#include "varimesh/variational/importance.h"

namespace varimesh::run {

// Verdicts in plain language, with what to do if something is off; each adds to record.trust.

/// Whether the method came to its end.
void judge_end(result::MethodRecord& record);
/// How far a fit's draws can be taken for draws of the posterior.
void judge_weights(const variational::ImportanceCheck& check, Method method, result::MethodRecord& record);
/// Whether chains have converged.
void judge_chains(const diagnostics::ChainsVerdict& verdict, result::MethodRecord& record);
/// What the method auto took for its answer, and why.
struct AutoChoice {
  enum Kind { proven_fit, proven_draws, no_time, unchecked_fit, chains, short_chains } kind = chains;
  double budget = 0, fit_seconds = 0;
  double chain_seconds = 0;    ///< that they took, or, without time for them, that their warm-up would take
  Index draws = 0;             ///< of all chains, or of the fit
  Change change = {};          ///< by the fit's weights
  Correction correction = {};  ///< what stands in for the fit, if that is the answer
  std::string comparison = {};
  bool normal_noise = true;  ///< which draws by optimisation need
};
void judge_choice(const AutoChoice& choice, result::MethodRecord& record);
/// Whether the data that a method inferred from are explained, by each sensor as all others predict it
/// (record.leave_one_out), and which sensors contradict the others.
void judge_data(const InverseProblem& problem, result::MethodRecord& record);
/// Whether other data than those are predicted.
void judge_new_data(const InverseProblem& problem, result::MethodRecord& record);
/// Whether the mesh is fine enough for the data and the quantities (record.mesh_check). Of data that were made on this
/// very mesh, which a known truth (else null) shows, it is.
void judge_mesh(const InverseProblem& problem, const result::Truth* truth, result::MethodRecord& record);
/// Whether the answer would be another one with another prior (record.prior_sensitivity).
void judge_prior(const result::ProblemRecord& problem, result::MethodRecord& record);
/// What it means that refining the mesh changes a prediction by so many standard errors, or a quantity by so many sds.
result::TrustItem::Level mesh_level(double share);
/// "up to 1.8 standard errors (sensor 7 at (0.2, 0.4)), 0.6 in the root mean square"
std::string describe_mesh_change(const result::SensorRecord& sensors, int dimension, const MeshShares& shares);
/// "sensor 7 at (0.2, 0.4)", in a mesh of that dimension
std::string describe_sensor(const result::SensorRecord& sensors, int dimension, Index sensor);
/// What a problem's measurements are to a method.
enum class DataKind { inferred_from, new_data };
/// Whether the data are explained, and, if the truth is known (else null), whether it lies where it should; and which
/// quantities the loads fix.
void judge_predictions(const InverseProblem& problem, DataKind kind, Index failures, const result::Truth* truth,
                       result::MethodRecord& record);

}  // namespace varimesh::run
