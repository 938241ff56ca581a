#pragma once

#include <memory>

#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/variational/low_rank.h"

namespace varimesh::variational {

/// A fit of low rank on a coarse mesh as the start of one on a finer mesh. `averages`, A (coarse x fine unknowns),
/// takes means of a fine field over what each coarse unknown stands for. What the data say of coarse fields,
/// functionals of kappa_c = A kappa_f, they say of fine ones:
///
///   mean       m + K A' Q_c (mean_c - m_c),
///   precision  Q + A' Y Y' A,   Y = R_c^-T U diag(lambda)^(1/2),
///
/// with m, K and Q of the prior on the fine mesh, `base`, and m_c, Q_c and R_c of that on the coarse one. So the start
/// is as smooth as the fine prior wants it, and no equation is solved for it.
std::unique_ptr<LowRank> transfer(const gaussian::LowRankGaussian& coarse, const inverse::SparseMatrix& averages,
                                  gaussian::LowRankGaussian::Base base, const inverse::GaussianPrior& prior,
                                  int threads);

}  // namespace varimesh::variational
