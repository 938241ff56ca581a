#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/calibration/experiment.h"
#include "varimesh/calibration/rank_test.h"
#include "varimesh/result/estimate.h"

namespace varimesh::calibration {

/// How often central intervals of a level held the truth.
struct Coverage {
  Index inside = 0, count = 0;
  double share = 0;   ///< NaN if count is zero, as is the interval
  Interval interval;  ///< of the share in the long run, with confidence 95 %
};

/// What all repeats say of one quantity.
struct QuantityCalibration {
  Index count = 0;               ///< repeats with a rank
  std::vector<Index> ranks, of;  ///< of the truth among so many draws, in the order of the repeats
  std::vector<Index> ecdf;       ///< ranks, made continuous, below each evaluation point
  double p_value = 0;            ///< that calibrated ranks are as uneven; NaN without ranks
  bool inside_band = false;      ///< the band of its count
  std::array<Coverage, levels.size()> coverage;
  result::Estimate z;      ///< mean of (truth - mean) / sd; 0 is expected
  double z_rms = 0;        ///< about 1 is expected
  double contraction = 0;  ///< 1 - mean posterior variance / variance of the truths
};

/// What they say of the field. Errors are standard errors over repeats, for cells of one repeat go together.
struct FieldCalibration {
  std::array<result::Estimate, levels.size()> coverage;  ///< mean shares of unknowns
  double p_value = 0;                                    ///< of the coverage at 90 %; NaN for fewer than 20 repeats
  result::Estimate z_rms, contraction;
};

/// How answers with one verdict did.
struct TrustCalibration {
  Index repeats = 0;
  std::vector<Coverage> covered;  ///< of each quantity, by its 90 % interval
  Coverage all_near;              ///< repeats in which no quantity is off by three sds or more
  Coverage close;                 ///< repeats in which every quantity agrees with the referee's
};

/// What is concluded of a method.
enum class Verdict { calibrated, miscalibrated, undetermined };
constexpr std::string_view verdict_names[] = {"calibrated", "miscalibrated", "undetermined"};
constexpr std::string_view name(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

struct MethodCalibration {
  std::string method, name;
  Index answers = 0, failures = 0;  ///< repeats
  std::vector<QuantityCalibration> quantities;
  FieldCalibration field;
  std::array<TrustCalibration, std::size(result::level_names)> trust;  ///< by level
  double seconds_mean = 0, seconds_median = 0, seconds_most = 0;
  double p_value = 0;  ///< the smallest of the quantities' and the field's, times how many these are
  Verdict verdict = Verdict::undetermined;
  std::string why;  ///< a clause; empty if it is calibrated
};

/// All numbers of a calibration.
struct Calibration {
  std::vector<TrackedQuantity> quantities;
  Index repeats = 0;
  std::string referee;              ///< the method that others are measured by; empty if there is none
  std::map<Index, RankBand> bands;  ///< of 95 %, by the number of ranks
  std::vector<MethodCalibration> methods;
};

/// Points at which distribution functions of ranks are looked at: those that ranks 0 to 99 can tell apart.
constexpr Index rank_points = rank_draws;

/// So many answers are needed for a verdict.
constexpr Index fewest_answers = 10;

Calibration summarize(const std::vector<TrackedQuantity>& quantities, const std::vector<std::string>& method_names,
                      Index unknowns, const std::vector<Repeat>& repeats);

/// Which methods are calibrated, in one sentence.
std::string conclude(const Calibration& calibration);

}  // namespace varimesh::calibration
