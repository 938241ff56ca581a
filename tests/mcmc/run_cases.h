#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "variational/linear_problem.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/linalg/clique_tree.h"
#include "varimesh/mcmc/run_chains.h"

namespace varimesh::mcmc::test {

/// Four unknowns, three sensors, noise of 0.2.
inline std::shared_ptr<const inverse::Posterior> small_posterior() {
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(4), Vector::Ones(4));
  return varimesh::test::linear_gaussian(prior, varimesh::test::smooth_rows(3, 4, 1), 0.2).posterior;
}

/// Neighbours of the four unknowns in a row.
inline std::shared_ptr<const linalg::CliqueTree> small_pattern(linalg::Amalgamation amalgamation) {
  const linalg::Graph graph = linalg::create_graph(4, {{0, 1}, {1, 2}, {2, 3}});
  return std::make_shared<linalg::CliqueTree>(graph, linalg::reverse_cuthill_mckee(graph), amalgamation);
}

inline std::shared_ptr<const gaussian::Gaussian> small_reference(double sigma) {
  Matrix factor = sigma * Matrix::Identity(4, 4);
  factor(2, 1) = 0.1;
  return std::make_shared<gaussian::DenseGaussian>(Vector::Constant(4, 0.1), factor);
}

struct SamplerCase {
  std::string name;
  SamplerOptions sampler;
};

/// Every kernel, with every kind of scale. Learnt scales are taken up after 100 and 150 transitions of 200.
inline std::vector<SamplerCase> sampler_cases() {
  return {
      {"nuts, diagonal", {.kernel = KernelKind::nuts, .warmup = 200}},
      {"nuts, dense", {.kernel = KernelKind::nuts, .warmup = 200, .scale = ScaleKind::dense}},
      {"nuts, sparse",
       {.kernel = KernelKind::nuts,
        .warmup = 200,
        .scale = ScaleKind::sparse,
        .pattern = small_pattern(linalg::Amalgamation::none)}},
      {"nuts, given", {.kernel = KernelKind::nuts, .warmup = 30, .reference = small_reference(0.5)}},
      {"nuts, refined",
       {.kernel = KernelKind::nuts,
        .warmup = 200,
        .reference = small_reference(0.5),
        .refine_reference = true,
        .scale = ScaleKind::dense}},
      {"hmc, dense", {.kernel = KernelKind::hmc, .warmup = 200, .scale = ScaleKind::dense}},
      {"hmc, fixed", {.kernel = KernelKind::hmc, .warmup = 0, .step = 0.2, .leapfrog_steps = 3}},
      {"pcn, prior", {.kernel = KernelKind::pcn, .warmup = 60}},
      {"pcn, given", {.kernel = KernelKind::pcn, .warmup = 60, .reference = small_reference(0.5)}},
      {"random walk", {.kernel = KernelKind::random_walk, .warmup = 200}},
  };
}

/// A likelihood that calls something before each evaluation, with how many there were before.
class Watched final : public inverse::LogLikelihood {
 public:
  using Watcher = std::function<void(long long)>;
  Watched(std::shared_ptr<const inverse::Posterior> posterior, Watcher watcher)
      : posterior_(std::move(posterior)), watcher_(std::move(watcher)) {}

  Index num_parameters() const override { return posterior_->size(); }
  double value(const Vector& kappa) const override {
    watcher_(count_++);
    return posterior_->likelihood().value(kappa);
  }
  double value_and_gradient(const Vector& kappa, Vector& gradient) const override {
    watcher_(count_++);
    return posterior_->likelihood().value_and_gradient(kappa, gradient);
  }

 private:
  std::shared_ptr<const inverse::Posterior> posterior_;
  Watcher watcher_;
  mutable std::atomic<long long> count_ = 0;
};

inline inverse::Posterior watched(const std::shared_ptr<const inverse::Posterior>& posterior,
                                  Watched::Watcher watcher) {
  return {std::make_shared<Watched>(posterior, std::move(watcher)), posterior->shared_prior()};
}

/// All records of a chain, with kappa and statistics, as bytes.
inline std::vector<std::string> bytes_of(const result::Draws& draws) {
  std::vector<std::string> bytes;
  const auto length = static_cast<std::size_t>(result::record_length(draws.size())) * sizeof(double);
  for (Index c = 0; c < draws.num_chains(); ++c)
    bytes.emplace_back(reinterpret_cast<const char*>(draws.chain(c).data()), draws.num_draws(c) * length);
  return bytes;
}

/// Runs an action in another process. Returns the signal that ended it, 0 if none did and -1 for an exception.
template <class Action>
int run_in_child(const Action& action) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      action();
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  return WEXITSTATUS(status) == 0 ? 0 : -1;
}

}  // namespace varimesh::mcmc::test
