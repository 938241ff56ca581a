#pragma once

#include <optional>
#include <string>
#include <vector>

#include "varimesh/result/estimate.h"
#include "varimesh/run/config.h"

namespace varimesh::run {

/// A prior under which the data might have come about.
struct NamedConfig {
  std::string name;
  Config config;
};

/// How probable the data are with one prior.
struct Evidence {
  std::string name;
  std::string failure;     ///< why it is not known; empty if it is
  result::Estimate bound;  ///< ELBO of a fit, below log p(y)
  /// log p(y) by importance weights of the fit's draws, where k-hat says that they can be relied on.
  std::optional<result::Estimate> corrected;
  double khat = 0;
  double probability = 0;  ///< of this prior, if all are equally probable before measuring

  /// The best that is known.
  double log_evidence() const { return corrected ? corrected->value : bound.value; }
};

/// In the same order. All must be of the same data. Throws InputError if one cannot be set up.
std::vector<Evidence> compare_evidence(const std::vector<NamedConfig>& configs, int threads);

/// How decisive that is, in a sentence.
std::string describe_evidence(const std::vector<Evidence>& evidence);

}  // namespace varimesh::run
