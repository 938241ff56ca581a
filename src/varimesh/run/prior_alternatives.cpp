#include "varimesh/run/prior_alternatives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "varimesh/run/build_field.h"
#include "varimesh/run/build_step.h"

namespace varimesh::run {
namespace {

using PriorChange = result::PriorAlternative::Change;

struct Factor {
  double value;
  const char* words;
};
constexpr Factor quarter{0.25, "a quarter of"}, half{0.5, "half"}, twice{2, "double"};

/// The same prior with one thing changed.
class Alternatives {
 public:
  Alternatives(const Config& config, const Problem& problem) : config_(config), problem_(problem) {}

  std::vector<AlternativePrior> list() {
    if (config_.prior) std::visit([&](const auto& prior) { vary(prior); }, config_.prior->value);
    return std::move(found_);
  }

 private:
  void vary(const GaussianProcessConfig& prior) {
    // From smooth to rough; a periodic kernel has no rougher one.
    static const std::vector<std::string> kernels{"squared_exponential", "matern52", "matern32", "matern12"};
    static const std::vector<std::vector<std::string>> rougher{
        {"matern32", "matern12"}, {"matern32", "matern12"}, {"matern12"}, {}, {}};
    const auto place = static_cast<std::size_t>(std::ranges::find(kernels, prior.kernel) - kernels.begin());
    for (const std::string& kernel : rougher[place]) {
      GaussianProcessConfig other = prior;
      other.kernel = kernel;
      add(PriorChange::rougher, "kernel " + kernel, other);
    }
    if (rougher[place].empty()) scale_length(prior, PriorChange::shorter, quarter);
    scale_length(prior, PriorChange::shorter, half);
    scale_length(prior, PriorChange::longer, twice);
    scale_sigma(prior);
  }

  void vary(const SpdePriorConfig& prior) {
    const int lowest = problem_.equation.mesh.dimension() / 2 + 1;  // above half the dimension
    if (prior.order > lowest) {
      SpdePriorConfig other = prior;
      --other.order;
      add(PriorChange::rougher, fmt::format("order {}", other.order), other);
    } else {
      scale_range(prior, PriorChange::shorter, quarter);
    }
    scale_range(prior, PriorChange::shorter, half);
    scale_range(prior, PriorChange::longer, twice);
    scale_sigma(prior);
  }

  void vary(const IndependentPriorConfig& prior) {
    for (const auto& [change, factor] : sigma_changes) {
      IndependentPriorConfig other = prior;
      const Vector sigma = factor.value * build_sigma(prior.sigma, problem_.equation);
      other.sigma.value = std::vector<double>(sigma.begin(), sigma.end());
      add(change, fmt::format("{} the sd", factor.words), other);
    }
  }

  void vary(const MixturePriorConfig&) {}

  void scale_length(const GaussianProcessConfig& prior, PriorChange change, Factor factor) {
    GaussianProcessConfig other = prior;
    for (double& length : other.length_scale) length *= factor.value;
    add(change, fmt::format("{} the length-scale ({:.3g})", factor.words, fmt::join(other.length_scale, " x ")), other);
  }

  void scale_range(const SpdePriorConfig& prior, PriorChange change, Factor factor) {
    SpdePriorConfig other = prior;
    other.range *= factor.value;
    add(change, fmt::format("{} the range ({:.3g})", factor.words, other.range), other);
  }

  template <class Prior>
  void scale_sigma(const Prior& prior) {
    for (const auto& [change, factor] : sigma_changes) {
      Prior other = prior;
      other.sigma *= factor.value;
      add(change, fmt::format("{} the sd ({:.3g})", factor.words, other.sigma), other);
    }
  }

  template <class Prior>
  void add(PriorChange change, std::string name, const Prior& prior) {
    found_.push_back({change, std::move(name), {config_.prior->origin, prior}});
  }

  static constexpr std::pair<PriorChange, Factor> sigma_changes[] = {{PriorChange::narrower, half},
                                                                     {PriorChange::wider, twice}};

  const Config& config_;
  const Problem& problem_;
  std::vector<AlternativePrior> found_;
};

}  // namespace

std::vector<AlternativePrior> alternative_priors(const Config& config, const Problem& problem) {
  return Alternatives(config, problem).list();
}

}  // namespace varimesh::run
