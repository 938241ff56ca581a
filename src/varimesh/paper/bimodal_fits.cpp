// Fits of bimodal.h, and what is measured of them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "varimesh/paper/bimodal.h"
#include "varimesh/paper/bimodal_record.h"
#include "varimesh/paper/files.h"
#include "varimesh/random_streams.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/fit.h"
#include "varimesh/variational/full_covariance.h"
#include "varimesh/variational/mixture.h"

namespace varimesh::paper {
namespace {

using variational::FamilyKind;
using variational::FitOptions;

/// Fits one distribution after the other.
class Fitter {
 public:
  Fitter(const BimodalConfig& config, const inverse::Posterior& posterior, const StudyOptions& study)
      : config_(config), posterior_(posterior), study_(study) {}

  /// From the prior.
  BimodalFit fit(const BimodalName& name, const FitOptions& options) {
    const Stopwatch stopwatch;
    return keep(name, variational::fit(posterior_, options, watch(name.title)), stopwatch);
  }

  /// From another start.
  BimodalFit fit(const BimodalName& name, const FitOptions& options, std::unique_ptr<variational::Family> start) {
    const Stopwatch stopwatch;
    variational::Evaluator evaluator(posterior_, options.threads);
    variational::AdamResult found = variational::adam(evaluator, std::move(start), options.adam, watch(name.title));
    Random random(options.seed, random_streams::elbo);
    const auto elbo = variational::estimate_elbo(evaluator, *found.q, options.elbo_samples, random);
    return keep(name,
                {std::move(found.q),
                 found.status,
                 found.message,
                 elbo,
                 std::move(found.trace),
                 evaluator.counts(),
                 {{"Adam", stopwatch.seconds()}},
                 std::nullopt},
                stopwatch);
  }

 private:
  /// What tells the study's observer of the next fit, now and in each of its steps.
  result::FitObserver watch(const std::string& title) {
    constexpr double fits = 3;
    const StudyProgress progress{"bimodal: " + title, begun_++ / fits};
    result::FitObserver tell = [this, progress](const result::TracePoint&) {
      if (study_.observer && !study_.observer(progress)) throw StudyInterrupted{};
      return true;
    };
    tell({});
    return tell;
  }

  BimodalFit keep(const BimodalName& name, variational::FitResult found, const Stopwatch& stopwatch) const {
    if (found.status == result::FitStatus::interrupted) throw StudyInterrupted{};
    result::MethodRecord record = record_bimodal_fit(config_, posterior_, name, found, stopwatch.seconds());
    return {std::move(found.q), std::move(record)};
  }

  const BimodalConfig& config_;
  const inverse::Posterior& posterior_;
  const StudyOptions& study_;
  int begun_ = 0;
};

/// Two components side by side where the prior has one.
std::unique_ptr<variational::Family> start_in_one_mode(const BimodalConfig& config, bool high) {
  const double sd = std::sqrt(config.prior_variance);
  std::vector<std::unique_ptr<variational::GaussianFamily>> components;
  for (const double side : {-1.0, 1.0}) {
    const Vector mean = config.prior_means.col(high ? 1 : 0) + side * sd * Vector::Unit(2, 1);
    components.push_back(std::make_unique<variational::FullCovariance>(
        gaussian::DenseGaussian(mean, 0.5 * sd * Matrix::Identity(2, 2))));
  }
  return std::make_unique<variational::Mixture>(std::move(components));
}

}  // namespace

BimodalAnswers fit_bimodal(const StudyOptions& study) {
  constexpr Index elbo_draws = 20'000;
  const BimodalConfig config = read_bimodal(bimodal_problem());
  const inverse::Posterior posterior = bimodal_posterior(config);
  const BimodalQuadrature quadrature(config, posterior);
  const PlaneSummary exact = quadrature.summarize(quadrature.log_posterior());
  FitOptions options{.family = FamilyKind::mixture,
                     .optimizer = variational::Optimizer::adam,
                     .elbo_samples = elbo_draws,
                     .seed = config.adam.seed,
                     .adam = config.adam};
  if (study.adam_steps) options.adam.max_steps = *study.adam_steps;
  Fitter fitter(config, posterior, study);
  const std::string two = "two normals of equal weight, Adam, started ";
  BimodalFit mixture = fitter.fit({run::Method::mixture, "mixture", "mixture", two + "at those of the prior"}, options);
  BimodalFit one_mode =
      fitter.fit({run::Method::mixture, "mixture-in-one-mode", "mixture in one mode", two + "in the larger mode"},
                 options, start_in_one_mode(config, exact.high.weight > exact.low.weight));
  options.family = FamilyKind::full_covariance;
  BimodalFit normal = fitter.fit({run::Method::fcvb, "normal", "one normal", "normal, full covariance, Adam"}, options);
  const auto summarize = [&](const variational::Family& q) {
    return quadrature.summarize(q.log_densities(quadrature.nodes()));
  };
  for (BimodalFit* fit : {&mixture, &one_mode, &normal}) fit->summary = summarize(*fit->q);
  const auto& components = dynamic_cast<const variational::Mixture&>(*mixture.q);
  Vector alone(components.num_components());
  for (Index k = 0; k < alone.size(); ++k) alone[k] = summarize(components.component(k)).divergence;
  return {config, posterior,          quadrature.log_evidence(), quadrature.split(),
          exact,  std::move(mixture), std::move(one_mode),       std::move(normal),
          alone};
}

bool is_there(const Mode& mode) {
  constexpr double trace = 1e-6;
  return mode.weight > trace;
}

bool has_two_modes(const PlaneSummary& distribution) {
  constexpr double deep = 3;  // nats from a peak to the pass
  const Mode &low = distribution.low, &high = distribution.high;
  return is_there(low) && is_there(high) && std::min(low.log_peak, high.log_peak) - distribution.log_pass > deep;
}

std::string place(const PlaneSummary& distribution) {
  if (!is_there(distribution.low)) return "the mode of large u_R";
  return is_there(distribution.high) ? "both modes" : "the mode of small u_R";
}

bool prefers_one_mode(const BimodalAnswers& answers) {
  const BimodalFit &both = answers.mixture, &one = answers.one_mode;
  return both.converged() && one.converged() && !has_two_modes(one.summary) &&
         one.summary.divergence < both.summary.divergence;
}

ModeErrors mode_errors(const BimodalAnswers& answers) {
  ModeErrors errors;
  for (const auto mode : {&PlaneSummary::low, &PlaneSummary::high}) {
    const Mode &q = answers.mixture.summary.*mode, &exact = answers.exact.*mode;
    if (!is_there(q)) continue;
    errors.shift = std::max(errors.shift, (q.mean - exact.mean).cwiseQuotient(exact.sd).cwiseAbs().maxCoeff());
    for (const double ratio : q.sd.cwiseQuotient(exact.sd).eval()) errors.sd.include(ratio);
  }
  return errors;
}

}  // namespace varimesh::paper
