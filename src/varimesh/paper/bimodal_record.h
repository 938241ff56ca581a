#pragma once

#include <string>

#include "varimesh/inverse/posterior.h"
#include "varimesh/paper/bimodal_model.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/run/method_config.h"
#include "varimesh/variational/fit.h"

namespace varimesh::paper {

// The bimodal problem in the formats of 'varimesh run', so that other commands read it: kappa is a field, the same in
// all cells, and log u_R, which no problem file can ask for, a quantity beside it.

result::ProblemRecord record_bimodal_problem(const BimodalConfig& config);

/// What a fitted distribution is called.
struct BimodalName {
  run::Method method;       ///< the nearest of 'varimesh run'
  std::string word;         ///< its directory
  std::string title;        ///< for legends
  std::string description;  ///< of the distribution and how it was fitted
};

/// A fit of both unknowns, with draws of it.
result::MethodRecord record_bimodal_fit(const BimodalConfig& config, const inverse::Posterior& posterior,
                                        const BimodalName& name, const variational::FitResult& fit, double seconds);

/// Its draws of (kappa, log u_R), one a column.
Matrix bimodal_draws(const result::MethodRecord& record);

}  // namespace varimesh::paper
