// Section 4.4: a posterior with two modes.
#include "varimesh/paper/bimodal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/file.h"
#include "varimesh/paper/bimodal_record.h"
#include "varimesh/paper/experiments.h"
#include "varimesh/paper/figures.h"
#include "varimesh/paper/files.h"
#include "varimesh/paper/judgement.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::paper {
namespace {

/// u where it is measured, for both truths.
Eigen::Vector2d measured(const BimodalConfig& config, double source) {
  const BimodalModel model(source, Vector::Constant(1, config.sensor));
  return {model.predict(config.truth.col(0))[0], model.predict(config.truth.col(1))[0]};
}

Json introduction(const BimodalAnswers& answers) {
  const BimodalConfig& config = answers.config;
  const PlaneSummary& exact = answers.exact;
  return text(
      {fmt::format(
           "The equation is \u2212exp(\u03ba) u\u2033 = f on (0, 1) with f = {:g}, u(0) = 0 and u(1) = u_R: "
           "u(x) = u_R x + f/2 exp(\u2212\u03ba) x (1 \u2212 x). The unknowns are \u03ba and log u_R; u is measured at "
           "x = {:g}, with \u03c3 = {:g}.",
           config.source, config.sensor, config.sigma),
       fmt::format(
           "Three choices are ours. The paper prints exp(\u03ba) u\u2033 = {0:g}. Then u({1:g}) would be negative "
           "around one centre of its prior and positive around the other, and no measurement could fit both: we take "
           "the other sign. It does not print its measurements: ours, {2:.4f}, are {3:.3f} plus noise. The {4:g} I of "
           "its prior is read as a covariance: {4:g} is a variance.",
           config.source, config.sensor, fmt::join(config.measurements, " and "), measured(config, config.source)[0],
           config.prior_variance),
       fmt::format("The exact posterior comes from quadrature on a grid. The modes are parted at log u_R = {:.1f}, "
                   "where its density is exp({:.0f}) times the largest. The mixture has two normals of equal weight, "
                   "which start at those of the prior. Adam takes {} draws of each in a step.",
                   answers.split, exact.log_pass - std::max(exact.low.log_peak, exact.high.log_peak),
                   config.adam.samples)});
}

Json findings(const BimodalAnswers& answers) {
  const PlaneSummary &exact = answers.exact, &q = answers.mixture.summary;
  const PlaneSummary &normal = answers.normal.summary, &one = answers.one_mode.summary;
  std::vector<std::string> paragraphs = {
      fmt::format("The modes have probabilities {:.3f} and {:.3f}; the mixture gives them {:.3f} and {:.3f}. That "
                  "costs {:.2f} of KL(q || p) = {:.2f} nats, the shape of the modes {:.2f}.",
                  exact.low.weight, exact.high.weight, q.low.weight, q.high.weight, q.weight_divergence, q.divergence,
                  q.divergence - q.weight_divergence),
      fmt::format("Where u_R is small, the sd of log u_R is {:.2f} times that of the prior.",
                  exact.low.sd[1] / std::sqrt(answers.config.prior_variance)),
      fmt::format("One normal, started between the modes, ends in {}, with KL(q || p) = {:.2f} nats. The components of "
                  "the mixture, each alone, have {:.2f} nats{}.",
                  place(normal), normal.divergence, fmt::join(answers.component_divergence, " and "),
                  answers.component_divergence.minCoeff() < q.divergence ? ": one alone has less than the two" : ""),
      fmt::format("A mixture with both components started in the larger mode ends in {}, with {:.2f} nats{}.",
                  place(one), one.divergence,
                  prefers_one_mode(answers)
                      ? ": the ELBO prefers that, and the other mixture is bimodal because of its start"
                      : "")};
  for (const BimodalFit* fit : {&answers.mixture, &answers.normal, &answers.one_mode})
    if (!fit->converged()) paragraphs.push_back(fmt::format("Adam did not converge: {}.", fit->record.name));
  return text(paragraphs);
}

/// What keeps the mixture from being a model of the posterior, in one clause; empty if nothing does.
std::string objections(const BimodalAnswers& answers) {
  constexpr double fair = 0.1;  // difference of probabilities
  const PlaneSummary &q = answers.mixture.summary, &exact = answers.exact;
  const Range sd = mode_errors(answers).sd;
  std::vector<std::string> found;
  if (!answers.mixture.converged()) found.emplace_back("its fit did not converge");
  if (std::abs(q.low.weight - exact.low.weight) > fair)
    found.push_back(fmt::format("its weights are {:.2f} and {:.2f}, not {:.2f} and {:.2f}", q.low.weight, q.high.weight,
                                exact.low.weight, exact.high.weight));
  if (!sd.is_adequate()) found.push_back(fmt::format("its sds within the modes are {} of the exact ones", sd.words()));
  if (prefers_one_mode(answers))
    found.push_back(fmt::format("the ELBO is {:.2f} nats higher with both components in one mode",
                                q.divergence - answers.one_mode.summary.divergence));
  return fmt::format("{}", fmt::join(found, "; "));
}

Claim same_solution_claim(const BimodalConfig& config) {
  constexpr double same = 0.01;  // in sds of the noise
  const Eigen::Vector2d u = measured(config, config.source), printed = measured(config, -config.source);
  Claim claim;
  claim.claim = "Bimodal 1D: different conductivities and boundary values give the same solution where it is measured.";
  claim.paper = "Two solutions that meet where they are measured.";
  claim.ours = fmt::format("u({:g}) is {:.4f} for one and {:.4f} for the other.", config.sensor, u[0], u[1]);
  claim.verdict = std::abs(u[0] - u[1]) < same * config.sigma ? Verdict::holds : Verdict::fails;
  claim.why = fmt::format("With the sign of the equation as printed it would be {:.4f}.", fmt::join(printed, " and "));
  claim.figures = {"figure-bimodal"};
  return claim;
}

bool both_have_two_modes(const BimodalAnswers& answers) {
  return has_two_modes(answers.exact) && has_two_modes(answers.mixture.summary);
}

Claim bimodal_claim(const BimodalAnswers& answers) {
  const PlaneSummary &q = answers.mixture.summary, &exact = answers.exact;
  const auto conductivities = [](const PlaneSummary& s) {
    const auto words = [](const Mode& mode) {
      return is_there(mode) ? fmt::format("{:.2g}", std::exp(mode.mean[0])) : "\u2013";
    };
    return fmt::format("{} and {}", words(s.low), words(s.high));
  };
  const auto is_intuitive = [](const PlaneSummary& s) { return s.high.mean[0] > s.low.mean[0]; };
  const bool two = both_have_two_modes(answers);
  const bool sure = two && is_intuitive(exact) && is_intuitive(q) && answers.mixture.converged();
  Claim claim;
  claim.claim =
      "Bimodal 1D: the posterior is bimodal and follows the prior's intuition: high conductivity goes with a large "
      "u_R.";
  claim.paper = "Contour lines with two modes; no numbers.";
  claim.ours =
      fmt::format("The mixture has {}. Where u_R is small and where it is large, exp(\u03ba) is about {} (exact: {}).",
                  has_two_modes(q) ? "two modes" : "one mode", conductivities(q), conductivities(exact));
  judge(
      claim,
      {{two, "Not both, the posterior and the mixture, have two modes with a deep pass between them."},
       {sure, "No converged fit has the higher conductivity where u_R is large, as the posterior should have, too."}});
  claim.figures = {"figure-bimodal", "table-bimodal"};
  return claim;
}

/// On the last conclusion: the method is flexible enough to model multimodal posteriors.
Evidence flexibility(const BimodalAnswers& answers) {
  const bool two = both_have_two_modes(answers);
  const std::string against = objections(answers);
  std::string ours = fmt::format(
      "Bimodal 1D: the mixture is in {}, with KL(q || p) = {:.2f} nats where its components alone have {:.2f}",
      place(answers.mixture.summary), answers.mixture.summary.divergence,
      fmt::join(answers.component_divergence, " and "));
  if (two) ours += fmt::format("; its means within the modes are off by up to {:.2f} sd", mode_errors(answers).shift);
  if (!against.empty()) ours += "; but " + against;
  return {7,
          ours + ".",
          verdict_of(int{two} + int{two && against.empty()}, 2),
          {"figure-bimodal", "figure-modes-bimodal", "table-bimodal"}};
}

}  // namespace

Chapter bimodal(const StudyOptions& options) {
  const BimodalAnswers answers = fit_bimodal(options);
  const Json numbers = bimodal_numbers(answers);
  const std::filesystem::path directory = options.directory / "bimodal";
  const result::ProblemRecord problem = record_bimodal_problem(answers.config);
  for (const BimodalFit* fit : {&answers.mixture, &answers.normal, &answers.one_mode})
    run::write_result(directory / fit->record.method, problem, fit->record);
  write_file(directory / "bimodal.toml", bimodal_problem());
  write_file(directory / "numbers.json", numbers.dump(2) + "\n");
  const Claim same = same_solution_claim(answers.config), two = bimodal_claim(answers);
  Chapter chapter;
  chapter.id = "bimodal";
  chapter.title = "Bimodal 1D (section 4.4)";
  chapter.blocks = {introduction(answers), bimodal_figure(answers, two), findings(answers), modes_figure(answers),
                    bimodal_table(numbers)};
  chapter.claims = {same, two};
  chapter.evidence = {flexibility(answers)};
  return chapter;
}

}  // namespace varimesh::paper
