#pragma once

#include <string>

#include "varimesh/available_memory.h"
#include "varimesh/run/inverse_problem.h"
#include "varimesh/variational/fit.h"

namespace varimesh::run {

/// Bytes that a fit needs at its peak, about: matrices over the unknowns, and the model's workspaces.
double fit_bytes(const InverseProblem& problem, const inverse::Posterior& posterior,
                 const variational::FitOptions& options);

/// Throws an InputError if something needs more bytes than there are, before they are taken.
void require_memory(double needed, double available, const std::string& what);

}  // namespace varimesh::run
