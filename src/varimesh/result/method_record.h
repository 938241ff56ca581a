#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/result/counts.h"
#include "varimesh/result/draws.h"
#include "varimesh/result/estimate.h"
#include "varimesh/result/fit_record.h"
#include "varimesh/result/leave_one_out.h"
#include "varimesh/result/mesh_check.h"
#include "varimesh/result/prior_sensitivity.h"
#include "varimesh/result/trust_item.h"
#include "varimesh/types.h"

namespace varimesh::result {

/// How a method ended: fits as FitStatus, chains completed or interrupted.
enum class Status { converged, iteration_limit, diverged, interrupted, completed };
constexpr std::string_view status_names[] = {"converged", "iteration_limit", "diverged", "interrupted", "completed"};
constexpr std::string_view name(Status status) { return status_names[static_cast<std::size_t>(status)]; }

/// Moments, and the values below which 5, 50 and 95 % of the distribution lie, of each unknown.
struct FieldSummary {
  Vector mean, sd, q05, q50, q95;
};

struct Moments {
  Vector mean, sd;
};

/// The same of a scalar, with its density on a grid (empty if all draws are equal or none is finite).
struct QuantitySummary {
  double mean = 0, sd = 0, q05 = 0, q50 = 0, q95 = 0;
  Vector density_x, density;
};

/// What importance weights say of a fit.
struct KhatRecord {
  double value = 0;      ///< NaN if it cannot be estimated
  double threshold = 0;  ///< below which it is good with so many draws
  std::string verdict;   ///< good, poor, bad, undetermined
};

/// What the diagnostics say of chains: the worst of all unknowns.
struct ChainsRecord {
  Index chains = 0;
  Index draws = 0;  ///< kept, of each chain
  double rhat = 0, ess_bulk = 0, ess_tail = 0;
  double acceptance = 0;  ///< mean, after the warm-up
  double e_bfmi = 0;      ///< NaN for kernels without momenta
  long long divergences = 0;
};

/// A setting that a method ran with, as the problem file has it: "fit.tolerance", 0.01.
struct MethodSetting {
  std::string key;
  std::variant<bool, double, std::string> value;

  friend bool operator==(const MethodSetting&, const MethodSetting&) = default;
};

/// A method's answer: what it says, how it came about, what it cost, and how far to trust it. Plain data, and all that
/// is written to files and read back.
///
/// Derived draws have one column for each of draws.num_chains() x draws.num_draws() draws, chain by chain.
struct MethodRecord {
  std::string method;       ///< "pmvb": the word in the problem file, and its directory
  std::string name;         ///< for legends: "PMVB"
  std::string description;  ///< "normal, sparse precision (2-neighbourhoods), natural gradient"
  Status status = Status::interrupted;
  std::string message;  ///< why it ended, in a sentence
  std::string version;  ///< of varimesh
  std::uint64_t seed = 0;
  std::vector<MethodSetting> settings;

  double seconds = 0;                                  ///< by the clock, of the inference itself
  std::vector<std::pair<std::string, double>> phases;  ///< seconds by phase
  Counts counts;
  long long solves() const { return counts.forward_solves + counts.adjoint_solves; }

  std::optional<Estimate> elbo;        ///< of fits
  std::optional<KhatRecord> khat;      ///< of fits
  std::optional<RankRecord> rank;      ///< of fits of low rank
  std::optional<ChainsRecord> chains;  ///< of chains
  std::vector<TracePoint> trace;       ///< of fits

  /// The approximation itself: one normal distribution, or the equally weighted components of a mixture. None of
  /// chains.
  std::vector<std::shared_ptr<const gaussian::Gaussian>> components;

  // Empty if it ended before there was an answer.
  Draws draws;  ///< kappa; fits have one chain of independent draws, with log_posterior and log_likelihood only
  FieldSummary kappa;
  Vector log_weights;  ///< of a fit's draws: smoothed importance weights; empty if they were not checked
  Matrix prior_draws;  ///< kappa, one a column

  Moments u;                       ///< at each node
  Vector u_at_mean;                ///< u at the mean of kappa
  Moments predicted;               ///< of each sensor, without the noise of a measurement
  Matrix predicted_draws;          ///< sensors x draws
  Matrix quantity_draws;           ///< quantities x draws
  Matrix u_draws;                  ///< nodes x draws; empty if they are too many to keep
  std::vector<Index> shown_draws;  ///< numbers of some draws, evenly spaced, whose u is kept
  Matrix shown_u;                  ///< nodes x shown_draws
  std::vector<QuantitySummary> quantities;
  LeaveOneOut leave_one_out;  ///< of the data that it was inferred from
  MeshCheck mesh_check;       ///< at the mean of the field
  PriorSensitivity prior_sensitivity;

  std::optional<Estimate> kappa_error, u_error;  ///< Euclidean norms, if the truth is known
  std::vector<TrustItem> trust;

  bool has_answer() const { return kappa.mean.size() > 0; }
  Index num_draws() const { return draws.num_chains() == 0 ? 0 : draws.num_chains() * draws.num_draws(); }
};

/// A method measured by another one, the referee.
struct ComparisonRecord {
  std::string method, referee;
  double largest_mean_shift = 0;  ///< (mean - referee's mean) / referee's sd
  double largest_sd_ratio = 0;    ///< sd / referee's sd, where it is furthest from one
  std::optional<Estimate> covariance_difference, kl;
  std::optional<double> speedup;  ///< by the clock
  std::string sentence;           ///< what that means
};

}  // namespace varimesh::result
