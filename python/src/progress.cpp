#include "progress.h"

#include <cmath>

namespace nb = nanobind;

namespace varimesh::python {

void Progress::set(const run::InferenceProgress& now) {
  const std::lock_guard lock(mutex_);
  changed_ = true;
  if (method_ != name(now.method) || stage_ != now.stage) chains_.clear();
  method_ = name(now.method);
  stage_ = now.stage;
  fit_ = now.fit ? std::optional(*now.fit) : std::nullopt;
  if (now.chain) chains_[now.chain->chain] = *now.chain;
  num_chains_ = now.chains;
  done_ = now.done;
}

void Progress::tell(nb::handle callback) {
  nb::dict now;
  {
    const std::lock_guard lock(mutex_);
    if (!changed_) return;
    changed_ = false;
    now["method"] = nb::str(method_.c_str());
    now["stage"] = nb::str(stage_.c_str());
    if (fit_) {
      now["iteration"] = fit_->iteration;
      now[fit_->samples > 0 ? "elbo" : "log_posterior"] = fit_->elbo;
    }
    double done = done_;
    if (!chains_.empty()) {
      double transitions = 0, acceptance = 0, left = 0;
      for (const auto& [number, chain] : chains_) {
        transitions += chain.transitions;
        acceptance += chain.acceptance / static_cast<double>(chains_.size());
        left = std::fmax(left, chain.seconds_left);
        done = transitions / (static_cast<double>(chain.total) * num_chains_);
      }
      now["acceptance"] = acceptance;
      now["seconds_left"] = left;
    }
    if (std::isfinite(done)) now["done"] = done;
  }
  callback(now);
}

}  // namespace varimesh::python
