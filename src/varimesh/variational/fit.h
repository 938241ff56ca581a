#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "varimesh/inverse/posterior.h"
#include "varimesh/linalg/clique_tree.h"
#include "varimesh/result/counts.h"
#include "varimesh/result/fit_record.h"
#include "varimesh/variational/adam.h"
#include "varimesh/variational/elbo.h"
#include "varimesh/variational/family.h"
#include "varimesh/variational/maximum_a_posteriori.h"
#include "varimesh/variational/natural_gradient.h"

namespace varimesh::variational {

enum class FamilyKind { mean_field, full_covariance, low_rank, sparse_precision, mixture };
enum class Optimizer { natural_gradient, adam, laplace };

struct FitOptions {
  FamilyKind family = FamilyKind::sparse_precision;
  Optimizer optimizer = Optimizer::natural_gradient;
  std::shared_ptr<const linalg::CliqueTree> pattern = nullptr;  ///< of sparse_precision (pattern.h)
  Index rank = 0;                                               ///< of what sparse_precision carries besides
  Index components = 2;                                         ///< of a mixture
  /// Where natural gradients begin, instead of at Laplace's approximation, and the search for the most probable kappa
  /// at its mean: a fit on a coarser mesh (transfer.h), say.
  std::shared_ptr<const GaussianFamily> start = nullptr;
  bool first_derivatives_only = false;  ///< treat a forward model as a black box
  Index elbo_samples = 1000;            ///< for the final estimate
  int threads = 1;
  std::uint64_t seed = 1;  ///< also of the optimisers
  MapOptions map = {};
  NaturalGradientOptions natural_gradient = {};
  AdamOptions adam = {};
};

/// A fitted distribution, how it came about, and what it cost.
struct FitResult {
  std::unique_ptr<Family> q;  ///< null if the fit ended before there was one
  result::FitStatus status = result::FitStatus::diverged;
  std::string message;  ///< why it ended
  ElboEstimate elbo;    ///< at fresh draws; of none if the fit was interrupted before
  std::vector<result::TracePoint> trace;
  result::Counts counts;
  std::vector<std::pair<std::string, double>> seconds;  ///< by phase
  std::optional<result::RankRecord> rank;               ///< of a part of low rank
};

/// From a posterior to its approximation. Throws InputError for options that make no sense; what goes wrong numerically
/// is in the status, as is an interruption (cancellation.h), with the distribution as far as it had come. The result
/// depends on the seed, not on the number of threads.
FitResult fit(const inverse::Posterior& posterior, const FitOptions& options, const result::FitObserver& observer = {});

}  // namespace varimesh::variational
