// infer_chains of infer_steps.h.
#include <fmt/format.h>

#include <algorithm>

#include "varimesh/cancellation.h"
#include "varimesh/constants.h"
#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/error.h"
#include "varimesh/gaussian/low_rank_gaussian.h"
#include "varimesh/mcmc/chains_summary.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/memory.h"
#include "varimesh/run/trust.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/family.h"

namespace varimesh::run {
namespace {

using Scale = ChainsConfig::Scale;
constexpr Index fewest_diagnosed = 4;  // that diagnostics can say something of

mcmc::KernelKind kernel_of(Method method) {
  switch (method) {
    case Method::hmc:
      return mcmc::KernelKind::hmc;
    case Method::pcn:
      return mcmc::KernelKind::pcn;
    default:
      return mcmc::KernelKind::nuts;
  }
}

/// The chains with at least half as many draws as the longest: an interruption finds some that have hardly begun.
std::vector<Index> far_enough(const result::Draws& draws) {
  Index longest = 0;
  for (Index c = 0; c < draws.num_chains(); ++c) longest = std::max(longest, draws.num_draws(c));
  std::vector<Index> chains;
  for (Index c = 0; c < draws.num_chains(); ++c) {
    if (draws.num_draws(c) > 0 && 2 * draws.num_draws(c) >= longest) chains.push_back(c);
  }
  return chains;
}

/// The status of a run that ended before there was an answer.
void end_early(const std::string& message, result::Status status, result::MethodRecord& record) {
  record.status = status;
  record.message = message;
  judge_end(record);
}

}  // namespace

mcmc::SamplerOptions sampler_options(const ChainsConfig& config, Method method, Scale scale) {
  mcmc::SamplerOptions sampler;
  sampler.kernel = kernel_of(method);
  sampler.warmup = config.warmup;
  sampler.step = config.step;
  sampler.target_acceptance = config.target_acceptance;
  sampler.leapfrog_steps = config.leapfrog_steps;
  if (config.max_depth) sampler.max_depth = *config.max_depth;
  if (method == Method::pcn && scale != Scale::fit && scale != Scale::prior)
    throw InputError("chains.scale: pCN takes \"fit\" or \"prior\"");
  if (method != Method::pcn && scale == Scale::prior) throw InputError("chains.scale: only pCN takes \"prior\"");
  if (scale == Scale::dense) sampler.scale = mcmc::ScaleKind::dense;
  if (scale == Scale::sparse) sampler.scale = mcmc::ScaleKind::sparse;
  sampler.refine_reference = scale == Scale::refined_fit;
  return sampler;
}

std::shared_ptr<const gaussian::Gaussian> scale_of(std::shared_ptr<const gaussian::Gaussian> q) {
  constexpr double smallest = 0.5;
  if (const auto* low_rank = dynamic_cast<const gaussian::LowRankGaussian*>(q.get()))
    return std::make_shared<gaussian::LowRankGaussian>(low_rank->leading(smallest));
  return q;
}

mcmc::RunOptions run_options(const MethodConfig& config, const InferenceOptions& options) {
  mcmc::RunOptions run;
  run.chains = config.chains.chains;
  run.draws = config.chains.draws;
  run.thin = config.chains.thin;
  run.threads = options.threads;
  run.seed = config.seed;
  run.directory = options.chains;
  run.resume = options.resume;
  return run;
}

void record_chains(mcmc::ChainsResult chains, Index wanted, bool out_of_time, int threads,
                   result::MethodRecord& record) {
  const bool completed = chains.status == mcmc::RunStatus::completed;
  record.status = completed || out_of_time ? result::Status::completed : result::Status::interrupted;
  record.message = chains.message;
  record.counts += chains.counts;
  for (const auto& [phase, seconds] : chains.seconds) {
    if (phase != "total") record.phases.emplace_back(phase, seconds);
  }
  if (!completed) {
    const std::vector<Index> kept = far_enough(chains.draws);
    if (!kept.empty() && std::ssize(kept) < wanted) {
      record.message += kept.size() == 1 ? "; the one that is far enough is used"
                                         : fmt::format("; the {} that are far enough are used", kept.size());
      std::vector<mcmc::ChainSummary> summaries;
      for (const Index c : kept) summaries.push_back(chains.chains[static_cast<std::size_t>(c)]);
      chains.chains = std::move(summaries);
      chains.draws = chains.draws.select(kept);
    }
  }
  if (chains.draws.num_draws() < fewest_diagnosed) return end_early(record.message, record.status, record);

  std::optional<CancellationScope> finish;
  if (record.status == result::Status::interrupted) finish.emplace(finishing());
  std::vector<diagnostics::QuantityDiagnostics> unknowns;
  if (!completes([&] { unknowns = diagnostics::diagnose(chains.draws, threads); }))
    return end_early(record.message + "; interrupted before their draws were judged", result::Status::interrupted,
                     record);
  const diagnostics::ChainsVerdict verdict = mcmc::judge(chains, unknowns);
  record.draws = chains.draws;
  const auto n = std::ssize(unknowns);
  record.kappa = {Vector(n), Vector(n), Vector(n), Vector(n), Vector(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const diagnostics::QuantityDiagnostics& d = unknowns[static_cast<std::size_t>(i)];
    record.kappa.mean[i] = d.mean;
    record.kappa.sd[i] = d.sd;
    record.kappa.q05[i] = d.q05;
    record.kappa.q50[i] = d.median;
    record.kappa.q95[i] = d.q95;
  }
  double acceptance = 0;
  for (const mcmc::ChainSummary& chain : chains.chains)
    acceptance += chain.acceptance / static_cast<double>(chains.chains.size());
  record.chains = result::ChainsRecord{chains.draws.num_chains(), chains.draws.num_draws(), verdict.rhat.value,
                                       verdict.ess_bulk.value,    verdict.ess_tail.value,   acceptance,
                                       verdict.e_bfmi.value,      verdict.divergences};
  judge_chains(verdict, record);
}

void infer_chains(const MethodConfig& config, const InverseProblem& problem, const inverse::Posterior& posterior,
                  Method method, const InferenceOptions& options, const InferenceObserver& observer,
                  result::MethodRecord& record) {
  const ChainsConfig& settings = config.chains;
  const Scale scale = chains_scale(settings, posterior, method);
  mcmc::SamplerOptions sampler = at(config.origin, [&] { return sampler_options(settings, method, scale); });
  const Stopwatch watch;
  const auto tell = [&](std::string_view stage, const result::TracePoint* fit, const result::ChainProgress* chain) {
    return !observer || observer({method, stage, fit, chain, nan, settings.chains});
  };

  // The scale: a fit of which only the covariance is used, so that its ELBO does not matter.
  variational::FitOptions fit_settings;
  if (scale == Scale::sparse)
    sampler.pattern = fit_options(config, problem, posterior, Method::pmvb, options.threads).pattern;
  if (scale == Scale::fit || scale == Scale::refined_fit)
    fit_settings = fit_options(config, problem, posterior, method, options.threads);
  if (scale == Scale::refined_fit) {
    if (fit_settings.family == variational::FamilyKind::low_rank)
      throw InputError("chains.scale: \"refined_fit\" is for fits with a full covariance, but this one is of low rank");
    sampler.pattern = fit_settings.pattern;
    sampler.scale = sampler.pattern ? mcmc::ScaleKind::sparse : mcmc::ScaleKind::dense;
  }
  if (scale == Scale::fit || scale == Scale::refined_fit) {
    fit_settings.elbo_samples = 4;
    at(config.origin,
       [&] { require_memory(fit_bytes(problem, posterior, fit_settings), available_bytes(), "the fit"); });
    if (fit_settings.family == variational::FamilyKind::low_rank)
      fit_settings.start =
          problem
              .fit_coarse(posterior, fit_settings,
                          [&](const result::TracePoint& point) { return tell("coarse fit", &point, nullptr); })
              .q;
    variational::FitResult fit = at(config.origin, [&] {
      return variational::fit(posterior, fit_settings,
                              [&](const result::TracePoint& point) { return tell("scale", &point, nullptr); });
    });
    record.counts = fit.counts;
    record.phases.emplace_back("scale", watch.seconds());
    record.seconds = watch.seconds();
    if (fit.status == result::FitStatus::interrupted)
      return end_early("interrupted before the chains began", result::Status::interrupted, record);
    if (!fit.q) return end_early("no fit to scale the chains by: " + fit.message, result::Status::diverged, record);
    sampler.reference = scale_of(variational::shared_gaussian(std::move(fit.q)));
  }

  const mcmc::RunOptions run = run_options(config, options);
  mcmc::ChainsResult chains = at(config.origin, [&] {
    return mcmc::run_chains(posterior, sampler, run,
                            [&](const result::ChainProgress& chain) { return tell("chains", nullptr, &chain); });
  });
  tell("diagnostics", nullptr, nullptr);
  record_chains(std::move(chains), settings.chains, false, options.threads, record);
  record.seconds = watch.seconds();
}

}  // namespace varimesh::run
