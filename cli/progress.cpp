#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duration.h"

namespace varimesh::cli {
namespace {

std::string describe_fit(const result::TracePoint& point) {
  if (point.samples == 0) return fmt::format("iteration {:>4}  log posterior {:.6g}", point.iteration, point.elbo);
  return fmt::format("iteration {:>4}  ELBO {:.6g} +- {:.2g}  to gain {:.2g}", point.iteration, point.elbo,
                     point.elbo_standard_error, point.promise);
}

}  // namespace

Progress::Progress(std::string name, Verbosity verbosity) : name_(std::move(name)), verbosity_(verbosity) {}

std::string Progress::describe_chains(const result::ChainProgress& chain, Index count) {
  const auto place =
      std::find_if(chains_.begin(), chains_.end(), [&](const auto& c) { return c.chain == chain.chain; });
  if (place == chains_.end()) {
    chains_.push_back(chain);
  } else {
    *place = chain;
  }
  long long done = 0;
  double acceptance = 0;
  for (const result::ChainProgress& c : chains_) {
    done += c.transitions;
    acceptance += c.acceptance / static_cast<double>(chains_.size());
  }
  return fmt::format("{} {}/{}, accepted {:.0f} %, {} left", chain.warmup ? "warm-up" : "draw", done,
                     static_cast<long long>(chain.total) * count, 100 * acceptance, duration(chain.seconds_left));
}

std::string Progress::describe(const run::InferenceProgress& progress) {
  if (stage_ != progress.stage) {
    stage_ = progress.stage;
    stage_watch_ = last_watch_;  // a stage is first heard of when a part of it is done
  }
  last_watch_ = {};
  const bool alone = !progress.fit && !progress.chain && !std::isfinite(progress.done);
  std::string line = fmt::format("{:<8}{:<{}}", name_, progress.stage, alone ? 0 : 13);
  if (progress.fit) line += describe_fit(*progress.fit);
  if (progress.chain) line += describe_chains(*progress.chain, progress.chains);
  if (std::isfinite(progress.done)) {
    const double left = progress.done > 0 ? stage_watch_.seconds() * (1 - progress.done) / progress.done : 0;
    if (!progress.fit) line += fmt::format("{:>3.0f} %", 100 * progress.done);
    if (progress.done > 0) line += fmt::format(", at most {} left", duration(left));
  }
  return line + ", " + duration(line_.seconds()) + " so far";
}

void Progress::say(const std::string& words) {
  if (verbosity_ != Verbosity::quiet) line_.print(fmt::format("{:<8}{}", name_, words));
}

void Progress::show(const run::InferenceProgress& progress) {
  if (verbosity_ == Verbosity::quiet) return;
  const std::string line = describe(progress);  // always, so that every chain is counted
  if (verbosity_ == Verbosity::verbose && progress.fit) {
    line_.print(line);
  } else {
    line_.show(line);
  }
}

}  // namespace varimesh::cli
