#include "varimesh/mcmc/sampler.h"

#include <fmt/format.h>

#include "varimesh/error.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/mcmc/hmc.h"
#include "varimesh/mcmc/nuts.h"
#include "varimesh/mcmc/pcn.h"
#include "varimesh/mcmc/random_walk.h"

namespace varimesh::mcmc {

void require_sound(const SamplerOptions& options, const inverse::Posterior& posterior) {
  if (options.kernel == KernelKind::pcn && !options.reference && !posterior.gaussian_prior())
    throw InputError("pCN proposes from a normal prior, but this prior is not normal: give a reference, or use NUTS");
  if (options.reference && options.reference->size() != posterior.size())
    throw InputError(fmt::format("the reference has {} unknowns, but the posterior has {}", options.reference->size(),
                                 posterior.size()));
  if (options.refine_reference &&
      (!options.reference || !options.learns_scale() || options.scale == ScaleKind::diagonal))
    throw InputError("only a reference of NUTS, HMC or a random walk can be refined, to a dense or sparse scale");
  if (options.learns_scale() && options.scale == ScaleKind::sparse) {
    if (!options.pattern) throw InputError("a sparse scale needs a pattern");
    if (options.pattern->size() != posterior.size())
      throw InputError(fmt::format("the pattern of the scale has {} unknowns, but the posterior has {}",
                                   options.pattern->size(), posterior.size()));
  }
  if (options.num_warmup() < 0)
    throw InputError(fmt::format("expected a warm-up of 0 or more, found {}", *options.warmup));
  if (options.num_warmup() == 0 && !options.step) throw InputError("without a warm-up the step must be given");
  constexpr Index most_steps = 100'000, most_depth = 20;
  if (options.leapfrog_steps && (*options.leapfrog_steps < 1 || *options.leapfrog_steps > most_steps))
    throw InputError(fmt::format("expected 1 to {} leapfrog steps, found {}", most_steps, *options.leapfrog_steps));
  if (options.max_depth < 1 || options.max_depth > most_depth)
    throw InputError(fmt::format("expected a tree depth from 1 to {}, found {}", most_depth, options.max_depth));
  const double largest = create_kernel(options)->max_step();
  if (options.step && !(*options.step > 0 && *options.step <= largest))
    throw InputError(fmt::format("expected a step above 0 and at most {}, found {}", largest, *options.step));
  if (options.target_acceptance && !(*options.target_acceptance > 0 && *options.target_acceptance < 1))
    throw InputError(fmt::format("expected a target acceptance between 0 and 1, found {}", *options.target_acceptance));
}

std::unique_ptr<Kernel> create_kernel(const SamplerOptions& options) {
  // A reference that stays is close to the target; a scale that is being learnt need not be.
  const Motion motion = options.reference && !options.learns_scale() ? Motion::circular : Motion::straight;
  switch (options.kernel) {
    case KernelKind::nuts:
      return std::make_unique<Nuts>(options.max_depth, motion);
    case KernelKind::hmc:
      return std::make_unique<Hmc>(options.leapfrog_steps, motion);
    case KernelKind::pcn:
      return std::make_unique<Pcn>(options.reference ? Pcn::Reference::other : Pcn::Reference::prior);
    case KernelKind::random_walk:
      return std::make_unique<RandomWalk>();
  }
  throw InputError("unknown kernel");
}

std::shared_ptr<const gaussian::Gaussian> initial_scale(const SamplerOptions& options,
                                                        const inverse::Posterior& posterior) {
  if (options.reference) return options.reference;
  const inverse::GaussianPrior* prior = posterior.gaussian_prior();
  // The pointer keeps the whole prior alive.
  if (options.kernel == KernelKind::pcn) return {posterior.shared_prior(), &prior->gaussian()};
  const Vector sd = prior ? Vector(prior->gaussian().variance().cwiseSqrt()) : Vector::Ones(posterior.size());
  return std::make_shared<gaussian::DiagonalGaussian>(Vector::Zero(posterior.size()), sd);
}

}  // namespace varimesh::mcmc
