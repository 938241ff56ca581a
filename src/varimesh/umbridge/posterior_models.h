#pragma once

#include "varimesh/inverse/posterior.h"
#include "varimesh/umbridge/model.h"

namespace varimesh::umbridge {

/// The models of a posterior:
/// - "forward": the unknowns to the predictions, if there is a forward model;
/// - "log_likelihood" and "posterior": to a log-density, the latter up to a constant, with the Hessian by Gauss-Newton
///   if there is a forward model with normal noise;
/// - "posterior_whitened", if the prior is N(m, R R'): w to the log-density of m + R w, up to a constant. There the
///   prior is N(0, 1), and the posterior is narrower only where the data say something: samplers mix well.
Models posterior_models(const inverse::Posterior& posterior);

}  // namespace varimesh::umbridge
