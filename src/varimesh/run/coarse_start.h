#pragma once

#include "varimesh/run/build.h"
#include "varimesh/run/inverse_problem.h"

namespace varimesh::run {

/// Where a fit with these options can begin: on the coarser Gmsh files that the problem file names, one after the
/// other; else, of many unknowns, on a mesh of about 5,000, generated, or decimated from the problem's own triangles or
/// tetrahedra. None if the prior belongs to one mesh, or if the coarse fit fails.
CoarseStart fit_coarse(const Config& config, const Problem& problem, const inverse::Posterior& posterior,
                       const variational::FitOptions& options, const result::FitObserver& observer);

}  // namespace varimesh::run
