#pragma once

#include <array>
#include <string>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/types.h"

namespace varimesh::calibration {

/// Shares that central intervals should cover.
constexpr std::array levels = {0.5, 0.9, 0.95};

/// So many draws a truth is ranked among: ranks from 0 to 99.
constexpr Index rank_draws = 99;

/// Whether draws are independent or come from chains.
enum class DrawKind { independent, chains };

/// A quantity's true value beside what a method says of it.
struct QuantityScore {
  double truth = 0, mean = 0, sd = 0;
  double place = 0;  ///< of the truth in the distribution, from 0 to 1, by all draws
  Index rank = 0;    ///< draws below the truth, of some that are about independent
  Index of = 0;      ///< how many these are; zero if there is no rank

  bool has_rank() const { return of > 0; }
  double z() const { return (truth - mean) / sd; }
  bool covered(double level) const { return place >= (1 - level) / 2 && place <= (1 + level) / 2; }
};

/// The truth beside draws (draws x chains), of which those that are not finite are left out. There is no rank if the
/// truth is not finite, all draws are equal, or chains have fewer than two effective draws.
QuantityScore score(const Matrix& draws, DrawKind kind, double truth);

/// The whole field beside its truth.
struct FieldScore {
  std::array<double, levels.size()> coverage{};  ///< shares of unknowns whose truth is in the intervals
  double z_rms = 0;                              ///< root mean square over unknowns
  double contraction = 0;                        ///< 1 - mean variance / the prior's, weighted by volume
};

/// What is known of a field beforehand.
struct FieldPrior {
  Vector variance, volume;  ///< of each unknown
};

FieldScore score_field(const result::MethodRecord& method, const Vector& truth, const FieldPrior& prior);

/// A method's answer to one truth.
struct MethodScore {
  std::string method;  ///< "nuts"
  result::Status status = result::Status::interrupted;
  bool has_answer = false;
  result::TrustItem::Level trust = result::TrustItem::Level::bad;  ///< the worst verdict on the answer
  double seconds = 0;                                              ///< of a processor
  std::vector<QuantityScore> quantities;                           ///< none without an answer
  FieldScore field;
};

}  // namespace varimesh::calibration
