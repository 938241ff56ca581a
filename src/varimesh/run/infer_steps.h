#pragma once

#include <memory>

#include "varimesh/mcmc/run_chains.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/trust.h"
#include "varimesh/variational/evaluator.h"
#include "varimesh/variational/fit.h"
#include "varimesh/variational/importance.h"

namespace varimesh::run {

// The parts of infer.h: how settings become options, and how a fit and chains become a record.

/// The neighbourhoods of cells or nodes that a sparse precision matrix couples unless the file says: 10 on a line, 2 in
/// the plane and 1 in space, one less with more than 20,000 unknowns.
Index neighbours(const FitConfig& config, const InverseProblem& problem);

/// How a method of this family is fitted. Laplace's approximation has the full covariance up to 1,000 unknowns, beyond
/// that one of low rank; so has the fit that chains are scaled by.
variational::FitOptions fit_options(const MethodConfig& config, const InverseProblem& problem,
                                    const inverse::Posterior& posterior, Method method, int threads);

/// What chains are scaled by.
ChainsConfig::Scale chains_scale(const ChainsConfig& config, const inverse::Posterior& posterior, Method method);

/// Some draws of a prior, one a column, to be compared with those of the posterior; fewer if interrupted.
Matrix draw_prior(const inverse::Prior& prior, std::uint64_t seed);

/// Fills in that a method was interrupted.
void record_interruption(const std::string& message, result::MethodRecord& record);

/// Fills in how a fit went.
void record_end(const variational::FitResult& fit, double seconds, result::MethodRecord& record);

/// Draws of a fitted distribution: enough for quantiles and khat, fewer where unknowns or sensors are many.
/// Each has so many numbers, or as many predictions.
Index num_draws(const MethodConfig& config, Index numbers_each);
Index numbers_each(const inverse::Posterior& posterior);

/// Fills in draws with their importance weights.
void record_weighted_draws(const variational::ImportanceCheck& check, result::MethodRecord& record);

/// Fills in a fitted distribution, what importance weights of so many draws say of it, and the first `kept` of these.
/// Throws InputError as check_importance does.
void record_distribution(const std::shared_ptr<const variational::Family>& q, variational::Evaluator& evaluator,
                         Index draws, Index kept, Method method, std::uint64_t seed, result::MethodRecord& record);

/// Fills in a fitted distribution and draws from it.
void infer_fit(const MethodConfig& config, const InverseProblem& problem, const inverse::Posterior& posterior,
               Method method, const InferenceOptions& options, const InferenceObserver& observer,
               result::MethodRecord& record);

/// The settings of a kernel. Throws InputError if they do not go together.
mcmc::SamplerOptions sampler_options(const ChainsConfig& config, Method method, ChainsConfig::Scale scale);
mcmc::RunOptions run_options(const MethodConfig& config, const InferenceOptions& options);

/// The covariance of a fit as a scale. Of low rank only those directions are taken in which the data matter as much as
/// the prior: the others make steps dearer, not longer.
std::shared_ptr<const gaussian::Gaussian> scale_of(std::shared_ptr<const gaussian::Gaussian> q);

/// Fills in what so many chains have found, as far as they went. That they were stopped is an interruption unless their
/// time was over.
void record_chains(mcmc::ChainsResult chains, Index wanted, bool out_of_time, int threads,
                   result::MethodRecord& record);

/// Fills in chains and their diagnostics.
void infer_chains(const MethodConfig& config, const InverseProblem& problem, const inverse::Posterior& posterior,
                  Method method, const InferenceOptions& options, const InferenceObserver& observer,
                  result::MethodRecord& record);

/// What auto takes for its answer, from the chains as far as they went, of so many: these if they have converged; if
/// not, still these where they say more than a fit that nothing else has checked.
AutoChoice::Kind choose_answer(const result::MethodRecord& chains, Index wanted);

/// Fills in the best answer within the budget of time: a fit if it is proven good, for the field and for every
/// quantity, otherwise exact chains that are scaled by it, as soon as they have converged.
void infer_auto(const MethodConfig& config, const InverseProblem& problem, const inverse::Posterior& posterior,
                Method method, const InferenceOptions& options, const InferenceObserver& observer,
                result::MethodRecord& record);

}  // namespace varimesh::run
