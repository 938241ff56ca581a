#pragma once

#include <memory>
#include <string>

#include "varimesh/inverse/posterior.h"
#include "varimesh/paper/bimodal_model.h"
#include "varimesh/paper/chapter.h"
#include "varimesh/paper/judgement.h"
#include "varimesh/paper/study.h"
#include "varimesh/result/method_record.h"
#include "varimesh/variational/family.h"

namespace varimesh::paper {

// The bimodal problem (bimodal_model.h): what was fitted, and what the chapter makes of it.

/// A fitted distribution, and what quadrature says of it.
struct BimodalFit {
  std::unique_ptr<const variational::Family> q;
  result::MethodRecord record;  ///< as bimodal_record.h has it; its name is that of figures
  PlaneSummary summary = {};

  bool converged() const { return record.status == result::Status::converged; }
};

struct BimodalAnswers {
  BimodalConfig config;
  inverse::Posterior posterior;
  double log_evidence = 0, split = 0;  ///< as BimodalQuadrature has them
  PlaneSummary exact;
  BimodalFit mixture;           ///< started at the components of the prior
  BimodalFit one_mode;          ///< the same with both components started in the larger mode
  BimodalFit normal;            ///< a single one, started between the modes
  Vector component_divergence;  ///< KL(q || p) of each component of the mixture alone
};

/// Throws StudyInterrupted if the observer stops it.
BimodalAnswers fit_bimodal(const StudyOptions& study);

/// Whether a distribution has more than a trace of its probability in a mode.
bool is_there(const Mode& mode);
/// Whether it is in both modes, with a deep pass between them.
bool has_two_modes(const PlaneSummary& distribution);
/// Where it is: "both modes", "the mode of small u_R".
std::string place(const PlaneSummary& distribution);
/// Whether fits have converged to a higher ELBO with both components in one mode.
bool prefers_one_mode(const BimodalAnswers& answers);

/// How well the mixture does within the modes.
struct ModeErrors {
  double shift = 0;  ///< of means: the largest, in exact sds
  Range sd;          ///< relative to the exact ones
};
ModeErrors mode_errors(const BimodalAnswers& answers);

// Parts of the chapter.

/// Two solutions, draws of u by the mixture, prior and posterior.
Json bimodal_figure(const BimodalAnswers& answers, const Claim& claim);
Json modes_figure(const BimodalAnswers& answers);
/// What numbers.json holds: numbers by distribution.
Json bimodal_numbers(const BimodalAnswers& answers);
Json bimodal_table(const Json& numbers);

}  // namespace varimesh::paper
