#pragma once

#include <cstdint>

#include "varimesh/inverse/prior.h"
#include "varimesh/result/mesh_check.h"
#include "varimesh/run/build.h"

namespace varimesh::run {

/// Compares the predictions of fields, one a column, with those on the mesh refined once; of several fields, what
/// changes most is kept. It is skipped where the refined mesh would take too long or not fit into `available` bytes.
result::MeshCheck check_mesh(const Config& config, const Problem& problem, const Matrix& fields, double available);

/// Fields to try before there is an answer: the prior's mean, if it is normal, and two draws of it; zero without a
/// prior.
Matrix fields_to_try(const Problem& problem, const inverse::Prior* prior, std::uint64_t seed);

/// What the changes are beside the noise and the sds of quantities.
struct MeshShares {
  double largest = 0, root_mean_square = 0;  ///< of the sensors, in standard errors of their measured means
  Index sensor = 0;                          ///< that has the largest
};
MeshShares mesh_shares(const result::MeshCheck& check, const Vector& standard_error);

}  // namespace varimesh::run
