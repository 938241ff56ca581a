// Section 4.3: the benchmark of Aristoff and Bangerth.
#include "varimesh/paper/benchmark.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "varimesh/io/page_data.h"
#include "varimesh/paper/experiments.h"
#include "varimesh/paper/figures.h"
#include "varimesh/paper/files.h"

namespace varimesh::paper {
namespace {

using run::Method;
using Overrides = std::vector<run::Override>;

// So that R-hat is below 1.01, and the least ESS above 1,000 with the paper's prior.
constexpr double paper_leapfrog_steps = 8, paper_draws = 2000;
constexpr double own_leapfrog_steps = 16, own_draws = 2000;
// Of Adam, and of the natural gradients for both to be alike: ten times the usual one.
constexpr double fit_tolerance = 0.1;
constexpr double adam_samples = 5;
constexpr Index adam_steps_usually = 100'000, quick_fraction = 10;
constexpr double adam_pace = 10'000;  // steps that take as long as another inference, for progress

Overrides settings_of(double leapfrog_steps, double draws) {
  return {setting("method.fit.tolerance", fit_tolerance), setting("method.chains.leapfrog_steps", leapfrog_steps),
          setting("method.chains.draws", draws)};
}

BenchmarkAnswers infer_all(const StudyOptions& options, const Overrides& further) {
  const Index adam_steps = options.adam_steps_for(adam_steps_usually, quick_fraction);
  const double adam_weight = static_cast<double>(adam_steps) / adam_pace;
  const Study study("benchmark", benchmark_problem(), options, 2 * std::size(benchmark_methods) + adam_weight);
  const std::string data = "data";
  study.put_data(data, benchmark_measurements(), benchmark_truth());
  const std::vector<Method> methods = {Method::hmc, Method::mfvb, Method::fcvb, Method::pmvb};
  Overrides own = settings_of(own_leapfrog_steps, own_draws);
  own.push_back(setting("prior.mean", 4));
  own.push_back(setting("prior.sigma", 2));
  const Overrides adam = {setting("method.fit.optimizer", "adam"), setting("method.fit.samples", adam_samples),
                          setting("method.fit.tolerance", fit_tolerance),
                          setting("method.fit.max_iterations", static_cast<double>(adam_steps))};
  BenchmarkAnswers answers;
  answers.paper = {"paper-prior", "N(0, 1)", {}};
  answers.own = {"own-prior", "N(4, 2\u00b2)", {}};
  Answers by_adam;
  std::vector<Task> tasks;
  const auto ask = [&](const std::string& id, Overrides settings, const std::vector<Method>& asked, Answers& found,
                       double weight = 1) {
    settings.insert(settings.end(), further.begin(), further.end());
    study.ask({data, id, settings, asked, weight}, found, tasks);
  };
  // The longest first.
  ask("paper-prior-adam", adam, {Method::fcvb}, by_adam, adam_weight);
  ask(answers.paper.id, settings_of(paper_leapfrog_steps, paper_draws), methods, answers.paper.answers);
  ask(answers.own.id, own, methods, answers.own.answers);
  study.run(tasks);
  answers.adam = std::move(by_adam.methods.front());
  answers.theta = compare_theta(benchmark_reference(), answers.own.answers.of("hmc").draws);
  return answers;
}

Json introduction(const BenchmarkAnswers& answers) {
  const auto chains = [](const PriorCase& some) {
    const result::ChainsRecord& record = *some.answers.of("hmc").chains;
    return fmt::format("{}: R-hat {:.3f}, ESS {:.0f} (bulk) and {:.0f} (tail)", some.prior, record.rhat,
                       record.ess_bulk, record.ess_tail);
  };
  return text(
      {"The unit square in 32 \u00d7 32 bilinear elements, f = 10, u = 0 on the boundary. \u03ba = log \u03b8 is "
       "constant on 8 \u00d7 8 blocks: log 10 in four of them, log 0.1 in four, zero in the others. u is known at 13 "
       "\u00d7 13 points. These 169 values are as published: from a finer computation and free of noise. The paper "
       "calls them noisy; the 0.05 enters the likelihood only.",
       "Priors are independent for each block. The paper takes N(0, 1); the benchmark itself prescribes N(4, 2\u00b2), "
       "which is far from the truth, and which we infer with, too. PMVB couples blocks up to two steps apart.",
       fmt::format("HMC is the referee. It takes its mass matrix from a fit, and trajectories longer than usual, "
                   "because the posterior is wider than the fit. Worst of all blocks with the prior {}; with {}. Fits "
                   "stop when at most {} nats are left to gain, which is Adam's tolerance: at a tenth of that, as "
                   "usual, they would take several times as long, because the noise of their draws has to average out.",
                   chains(answers.paper), chains(answers.own), fit_tolerance)});
}

std::string own_prior_words(const PriorCase& some) {
  const Compared hmc = some.of("hmc"), full = some.of("fcvb");
  return fmt::format(
      "With the benchmark's own prior {}, which the paper replaces, much less is known: the sds of \u03ba by HMC go up "
      "to {:.1f}, and its mean is {:.1f} from the truth. FCVB's means are off by up to {:.1f} of HMC's sds, and its "
      "sds are {:.2f} to {:.2f} of HMC's.",
      some.prior, hmc.record->kappa.sd.maxCoeff(), hmc.numbers.kappa_error, full.numbers.largest_shift,
      full.numbers.least_ratio, full.numbers.largest_ratio);
}

}  // namespace

double Compared::sd_distance() const { return std::sqrt(sd_ratio.array().log().square().mean()); }

Compared PriorCase::of(std::string_view method) const {
  const result::MethodRecord& record = answers.of(method);
  return compare(record, record.name);
}

Compared PriorCase::compare(const result::MethodRecord& method, const std::string& label) const {
  const result::MethodRecord& hmc = answers.of("hmc");
  return {label, &method, summarize(answers.problem, method, hmc), method.kappa.sd.cwiseQuotient(hmc.kappa.sd)};
}

Chapter benchmark(const StudyOptions& options) { return benchmark_with(options, {}); }

Chapter benchmark_with(const StudyOptions& options, const Overrides& settings) {
  const BenchmarkAnswers answers = infer_all(options, settings);
  const Claim mean = mean_claim(answers), sd = sd_claim(answers), optimum = optimum_claim(answers);
  Chapter chapter;
  chapter.id = "benchmark";
  chapter.title = "Benchmark of Aristoff and Bangerth (section 4.3)";
  chapter.blocks = {introduction(answers),
                    posterior_figure(answers.paper, mean),
                    sd_figure(answers, sd),
                    text({"Is FCVB in the paper stuck in a local optimum? " + optimum.ours + " " + optimum.why}),
                    text({own_prior_words(answers.own), theta_findings(answers.theta)}),
                    posterior_figure(answers.own, std::nullopt),
                    theta_figure(answers.theta),
                    benchmark_table(answers)};
  chapter.claims = {mean, sd, optimum};
  chapter.evidence = benchmark_evidence(answers);
  const result::ProblemRecord& problem = answers.paper.answers.problem;
  chapter.meshes["benchmark"] = io::encode_mesh(problem);
  return chapter;
}

}  // namespace varimesh::paper
