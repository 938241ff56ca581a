#include "varimesh/run/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/constants.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/infer_steps.h"

namespace varimesh::run {
namespace {

/// log of the mean of weights, with its standard error.
result::Estimate log_mean(const Vector& log_weights) {
  const double largest = log_weights.maxCoeff();
  const Vector weights = (log_weights.array() - largest).exp();
  const auto count = static_cast<double>(weights.size());
  const double mean = weights.mean();
  const double variance = (weights.array() - mean).square().sum() / (count - 1);
  return {largest + std::log(mean), std::sqrt(variance / count) / mean};
}

void take_fit(const Config& config, const Problem& problem, int threads, Evidence& found) {
  const inverse::Posterior posterior = build_posterior(config, problem);
  const variational::FitOptions options =
      fit_options(config.method, ConfiguredProblem(config, problem), posterior, Method::automatic, threads);
  const variational::FitResult fit = variational::fit(posterior, options);
  if (!fit.q || !std::isfinite(fit.elbo.value)) {
    found.failure = "the fit failed: " + fit.message;
    return;
  }
  found.bound = {fit.elbo.value, fit.elbo.standard_error};
  variational::Evaluator evaluator(posterior, threads);
  const variational::ImportanceCheck check =
      variational::check_importance(evaluator, *fit.q, num_draws(config.method, posterior.size()), options.seed);
  found.khat = check.psis.khat;
  // log p(y) = log E_q[ p(y | kappa) p(kappa) / q(kappa) ]
  if (check.psis.verdict == diagnostics::Verdict::good)
    found.corrected = log_mean(check.log_posterior - fit.q->log_densities(check.draws));
}

}  // namespace

std::vector<Evidence> compare_evidence(const std::vector<NamedConfig>& configs, int threads) {
  std::vector<Evidence> all;
  for (const auto& [name, config] : configs) {
    Evidence found{name, "", {}, {}, 0, 0};
    const Problem problem = build_problem(config, Data::required);
    take_fit(config, problem, threads, found);
    all.push_back(std::move(found));
  }
  // One that is corrected beside one that is not would have the advantage of the gap: then ELBOs are compared.
  const bool all_corrected =
      std::ranges::all_of(all, [](const Evidence& one) { return one.corrected || !one.failure.empty(); });
  for (Evidence& one : all)
    if (!all_corrected) one.corrected.reset();
  double largest = -infinity, sum = 0;
  for (const Evidence& one : all)
    if (one.failure.empty()) largest = std::max(largest, one.log_evidence());
  for (Evidence& one : all) {
    one.probability = one.failure.empty() ? std::exp(one.log_evidence() - largest) : 0;
    sum += one.probability;
  }
  for (Evidence& one : all) one.probability /= sum > 0 ? sum : 1;
  return all;
}

std::string describe_evidence(const std::vector<Evidence>& evidence) {
  std::vector<const Evidence*> known;
  for (const Evidence& one : evidence)
    if (one.failure.empty()) known.push_back(&one);
  if (known.size() < 2) return "There are not two priors with a fit to compare.";
  std::ranges::sort(known, [](const Evidence* a, const Evidence* b) { return a->log_evidence() > b->log_evidence(); });
  const double nats = known[0]->log_evidence() - known[1]->log_evidence();
  // Kass and Raftery (1995), in nats
  const char* words = nats < 1   ? "hardly more than"
                      : nats < 3 ? "somewhat more than"
                      : nats < 5 ? "much more than"
                                 : "decisively more than";
  const bool are_bounds = !known[0]->corrected || !known[1]->corrected;
  return fmt::format("The data speak for '{}' {} for '{}': {:.3g} nats, odds of {:.3g} to one{}.", known[0]->name,
                     words, known[1]->name, nats, std::exp(std::min(nats, 700.0)),
                     are_bounds ? ", as far as ELBOs tell, which lie below the evidence" : "");
}

}  // namespace varimesh::run
