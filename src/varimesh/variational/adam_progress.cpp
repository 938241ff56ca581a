#include "varimesh/variational/adam_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "varimesh/number_words.h"
#include "varimesh/random.h"
#include "varimesh/random_streams.h"
#include "varimesh/variational/controlled_mean.h"
#include "varimesh/variational/elbo.h"

namespace varimesh::variational {

void AdamProgress::measure(AdamObjective& objective, std::unique_ptr<Family> mean_iterate, Index step, double travel) {
  constexpr std::size_t checks_in_half = 3;  // (5/4)^3 = 1.95
  next_ = step + std::max<Index>(1, step / 4);
  past_.push_back({std::move(mean_iterate), step, travel});
  if (past_.size() <= checks_in_half) return;
  const Mark &now = past_.back(), &then = past_.front();
  Gain gain{.since = then.step, .travel = now.travel - then.travel};
  gain.slowness = options_.learning_rate * (now.step - then.step) / gain.travel;
  compare(objective, *then.q, *now.q, step, gain);
  past_.pop_front();
  small_in_a_row_ = gain.is_small(options_.tolerance) ? small_in_a_row_ + 1 : 0;
  gain_ = gain;
}

void AdamProgress::compare(AdamObjective& objective, const Family& then, const Family& now, Index step,
                           Gain& gain) const {
  constexpr Index batch = 32;
  const Index components = now.num_components();
  const double most = 0.025 * options_.samples * components * step;
  Random random(options_.seed, random_streams::gain_of_step(static_cast<std::uint64_t>(step)));
  ControlledMean difference;
  for (double draws = 0; draws == 0 || draws < most; draws += batch * components) {
    const Matrix z = antithetic_normals(now.size(), batch * components, random);
    objective.evaluate(then, z);
    const Vector value = objective.value(), control = objective.control();
    objective.evaluate(now, z);
    for (Eigen::Index s = 0; s < z.cols(); s += 2) {
      const auto pair_mean = [s](const Vector& a, const Vector& b) { return (a[s] - b[s] + a[s + 1] - b[s + 1]) / 2; };
      const double gained = pair_mean(objective.value(), value);
      if (std::isfinite(gained)) difference.add(gained, pair_mean(objective.control(), control));
    }
    gain.nats = difference.mean();
    gain.standard_error = difference.standard_error();
    const bool is_clear = std::abs(gain.scaled() - options_.tolerance) > 2 * gain.scaled_error();
    if (is_clear || !gain.is_known()) return;
  }
}

std::string AdamProgress::description() const {
  if (!gain_) return "too few steps to measure whether the ELBO still rises";
  std::string text = fmt::format("the ELBO rose by {} nats since step {}",
                                 with_error(gain_->nats, gain_->standard_error, 2), gain_->since);
  const bool is_small = std::abs(gain_->nats) + 2 * gain_->standard_error < options_.tolerance;
  if (is_small && !gain_->is_known())
    text += fmt::format(", but in steps so short that no parameter can have moved by more than about {:.1g}",
                        gain_->travel);
  else if (is_small && !gain_->is_small(options_.tolerance))
    text += fmt::format(", but the learning rate has fallen: at the first one that is {} in proportion",
                        with_error(gain_->scaled(), gain_->scaled_error(), 2));
  return text;
}

}  // namespace varimesh::variational
