#pragma once

#include <string>

#include "varimesh/available_memory.h"
#include "varimesh/run/build.h"
#include "varimesh/variational/fit.h"

namespace varimesh::run {

/// Bytes that a fit needs at its peak, about: matrices over the unknowns, and the equation's workspaces.
double fit_bytes(const Problem& problem, const inverse::Posterior& posterior, const variational::FitOptions& options);

/// Throws an InputError if something needs more bytes than there are, before they are taken.
void require_memory(double needed, double available, const std::string& what);

}  // namespace varimesh::run
