#pragma once

#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "varimesh/variational/adam.h"
#include "varimesh/variational/adam_objective.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// Compares the mean iterate of Adam with that at half as many steps.
class AdamProgress {
 public:
  /// What happened since then.
  struct Gain {
    Index since = 0;    ///< the step then
    double travel = 0;  ///< the sum of the learning rates: so far can a parameter have moved
    double nats = 0, standard_error = 0;
    double slowness = 1;  ///< the first learning rate by the mean one

    /// At the first learning rate, in proportion.
    double scaled() const { return slowness * std::abs(nats); }
    double scaled_error() const { return slowness * standard_error; }
    /// In steps that sum to less no parameter can have gone far, and a small gain means nothing.
    bool is_known() const { return travel >= 5; }
    bool is_small(double tolerance) const { return is_known() && scaled() + 2 * scaled_error() < tolerance; }
  };

  /// Keeps a reference to the options.
  explicit AdamProgress(const AdamOptions& options) : options_(options) {}

  /// Whether it is time to measure.
  bool is_due(Index step) const { return step >= next_; }
  /// `travel`: the sum of the learning rates up to this step.
  void measure(AdamObjective& objective, std::unique_ptr<Family> mean_iterate, Index step, double travel);

  bool has_converged() const { return small_in_a_row_ >= 2; }
  /// The last one measured.
  const std::optional<Gain>& gain() const { return gain_; }
  /// What was measured, in words.
  std::string description() const;

 private:
  struct Mark {
    std::unique_ptr<Family> q;
    Index step;
    double travel;
  };

  /// The gain, at common draws: so many that it is clear whether it is below the tolerance, or a share of all so far.
  void compare(AdamObjective& objective, const Family& then, const Family& now, Index step, Gain& gain) const;

  const AdamOptions& options_;
  Index next_ = 64, small_in_a_row_ = 0;
  std::deque<Mark> past_;
  std::optional<Gain> gain_;
};

}  // namespace varimesh::variational
