#pragma once

#include <memory>

#include "varimesh/result/counts.h"
#include "varimesh/run/infer.h"
#include "varimesh/variational/fit.h"

namespace varimesh::run {

/// A fit of low rank on a coarser mesh, carried over to the problem's own.
struct CoarseStart {
  std::shared_ptr<const variational::GaussianFamily> q = nullptr;  ///< null if there is none
  Index unknowns = 0;                                              ///< of the coarser mesh
  result::Counts counts = {};                                      ///< of work there
};

/// Where a fit with these options can begin: on a generated mesh of about 5,000 unknowns, if the problem's own is
/// generated and has many more, or on the coarser Gmsh files that the problem file names, one after the other. None if
/// the prior belongs to one mesh, or if the coarse fit fails.
CoarseStart fit_coarse(const Config& config, const Problem& problem, const inverse::Posterior& posterior,
                       const variational::FitOptions& options, const result::FitObserver& observer);

}  // namespace varimesh::run
