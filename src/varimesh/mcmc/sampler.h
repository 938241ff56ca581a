#pragma once

#include <memory>
#include <optional>

#include "varimesh/inverse/posterior.h"
#include "varimesh/linalg/clique_tree.h"
#include "varimesh/mcmc/kernel.h"
#include "varimesh/mcmc/running_covariance.h"

namespace varimesh::mcmc {

enum class KernelKind { nuts, hmc, pcn, random_walk };

/// How chains move and what they learn in their warm-up.
struct SamplerOptions {
  KernelKind kernel = KernelKind::nuts;
  /// Transitions before the first draw is kept: 1000 unless given, 300 if only the step is tuned.
  std::optional<Index> warmup = std::nullopt;

  /// Given, its covariance is the scale (the inverse mass matrix) from the start to the end, and pCN proposes from it:
  /// a variational fit, say. Not given, pCN proposes from the prior and the others learn their scale in the warm-up.
  std::shared_ptr<const gaussian::Gaussian> reference = nullptr;
  /// The reference is only where chains begin, which then learn a dense or sparse scale of their own.
  bool refine_reference = false;
  ScaleKind scale = ScaleKind::diagonal;                        ///< that is learnt
  std::shared_ptr<const linalg::CliqueTree> pattern = nullptr;  ///< of a sparse scale

  std::optional<double> step = std::nullopt;               ///< fixed; tuned unless given
  std::optional<double> target_acceptance = std::nullopt;  ///< that the tuning aims at; the kernel's own unless given
  /// HMC: leapfrog steps on average; as many as a trajectory of a quarter period takes unless given.
  std::optional<Index> leapfrog_steps = std::nullopt;
  Index max_depth = 10;  ///< of NUTS's trees

  /// Whether a scale is learnt.
  bool learns_scale() const { return kernel != KernelKind::pcn && (!reference || refine_reference); }
  Index num_warmup() const { return warmup.value_or(learns_scale() ? 1000 : 300); }
};

/// Throws InputError for options that make no sense for this posterior: pCN needs a normal prior or a reference, say.
void require_sound(const SamplerOptions& options, const inverse::Posterior& posterior);

std::unique_ptr<Kernel> create_kernel(const SamplerOptions& options);

/// What chains start with: the reference, for pCN the prior, else independent unknowns of the prior's (for a prior that
/// is not normal, the unit) variance.
std::shared_ptr<const gaussian::Gaussian> initial_scale(const SamplerOptions& options,
                                                        const inverse::Posterior& posterior);

}  // namespace varimesh::mcmc
