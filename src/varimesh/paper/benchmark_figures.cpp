// Figures and the table of benchmark.h.
#include <fmt/format.h>

#include "varimesh/paper/benchmark.h"
#include "varimesh/paper/figures.h"

namespace varimesh::paper {
namespace {

const std::string adam_label = "FCVB by Adam";

/// The sds of each block by the fits, over those of HMC.
Json sd_panel(const PriorCase& some, const std::vector<Compared>& fits) {
  const Vector& hmc = some.answers.of("hmc").kappa.sd;
  const char* symbols[] = {"dot", "square", "cross"};
  Json points = Json::array();
  for (std::size_t k = 0; k < fits.size(); ++k)
    points.push_back({{"series", fits[k].label},
                      {"x", numbers(hmc)},
                      {"y", numbers(fits[k].record->kappa.sd)},
                      {"symbol", symbols[k]}});
  const Eigen::Vector2d ends(hmc.minCoeff(), hmc.maxCoeff());
  Vector lines(4);
  lines << ends, overestimate * ends;
  return {
      {"kind", "curves"},
      {"lines", {{{"series", "1 and 1.25 times HMC's"}, {"x", numbers(ends)}, {"y", numbers(lines)}, {"dash", true}}}},
      {"points", points},
      {"x_axis", axis("sd of \u03ba by HMC")},
      {"y_axis", axis("sd of \u03ba by the fit")}};
}

std::vector<Json> table_row(const std::string& prior, const Compared& method) {
  const Repetition& numbers = method.numbers;
  const result::MethodRecord& record = *method.record;
  const auto of_fit = [&](double value) { return record.chains ? Json(nullptr) : Json(value); };
  const auto of_chains = [&](double value) { return record.chains ? Json(value) : Json(nullptr); };
  const bool converged = record.status == result::Status::converged || record.status == result::Status::completed;
  return {
      prior,
      method.label,
      numbers.kappa_error,
      of_fit(numbers.largest_shift),
      of_fit(numbers.least_ratio),
      of_fit(numbers.median_ratio),
      of_fit(numbers.largest_ratio),
      of_fit(static_cast<double>(method.num_overestimated())),
      record.elbo ? Json(fmt::format("{:.1f} \u00b1 {:.1f}", record.elbo->value, record.elbo->error)) : Json(nullptr),
      of_fit(numbers.khat),
      of_chains(numbers.rhat),
      of_chains(numbers.ess),
      fmt::format("{}{:.2g}", converged ? "" : "> ", numbers.seconds)};
}

}  // namespace

Json posterior_figure(const PriorCase& some, const std::optional<Claim>& claim) {
  const result::Truth& truth = *some.answers.problem.truth;
  const auto map = [&](const Vector& values, bool at_nodes, const char* row) {
    return map_panel("benchmark", values, at_nodes, fmt::format("{}-{}", row, some.id));
  };
  std::vector<std::vector<Json>> panels = {{map(truth.kappa, false, "mean")}, {nullptr}, {map(truth.u, true, "u")}};
  std::vector<std::string> columns = {"truth"};
  for (const char* word : benchmark_methods) {
    const result::MethodRecord& method = some.answers.of(word);
    columns.push_back(method.name);
    panels[0].push_back(map(method.kappa.mean, false, "mean"));
    panels[1].push_back(map(method.kappa.sd, false, "sd"));
    panels[2].push_back(map(method.u_at_mean, true, "u"));
  }
  Figure words{"figure-" + some.id + "-benchmark",
               fmt::format("Posteriors of \u03ba and u, prior {}", some.prior),
               "Mean and standard deviation of \u03ba in each block, and u at the mean of \u03ba. One scale of colours "
               "for each row.",
               claim,
               {"mean of \u03ba", "sd of \u03ba", "u at the mean"},
               columns};
  const auto scale = [&](const char* row) { return fmt::format("{}-{}", row, some.id); };
  words.scales = {
      {scale("mean"), {{"label", "\u03ba"}}}, {scale("sd"), {{"label", "sd"}}}, {scale("u"), {{"label", "u"}}}};
  return figure(words, panels);
}

Json sd_figure(const BenchmarkAnswers& answers, const Claim& claim) {
  const auto panel = [](const PriorCase& some) {
    return sd_panel(some, {some.of("mfvb"), some.of("fcvb"), some.of("pmvb")});
  };
  Figure words{
      "figure-sds-benchmark",
      "Standard deviations against HMC's",
      "A point for each block; above the upper line we call it an overestimate. In the middle, FCVB by natural "
      "gradients and by the paper's optimiser, Adam.",
      claim,
      {},
      {"prior " + answers.paper.prior, answers.paper.prior + ", two optimisers", "prior " + answers.own.prior}};
  words.shared = {{"x", "none"}, {"y", "none"}};
  return figure(words,
                {{panel(answers.paper),
                  sd_panel(answers.paper, {answers.paper.of("fcvb"), answers.paper.compare(answers.adam, adam_label)}),
                  panel(answers.own)}});
}

Json benchmark_table(const BenchmarkAnswers& answers) {
  const Table words{
      "table-benchmark",
      "Table 3: agreement with HMC, ELBO and times, benchmark",
      "Distance of the mean of \u03ba from the truth (Euclidean norm); largest shift of a mean, in sds of HMC; sds "
      "relative to HMC's over the blocks, and in how many they are above 1.25; the ELBO with its standard error; k-hat "
      "of importance weights (reliable below 0.7); worst R-hat and ESS of the chains.",
      "Seconds of the inference itself, for HMC with the fit of its mass matrix; '>' where the optimiser had not "
      "converged.",
      {column("prior"), column("method"), column("error", "mean of \u03ba", 3), column("shift", "mean of \u03ba", 2),
       column("least", "sd / HMC's", 3), column("median", "sd / HMC's", 3), column("largest", "sd / HMC's", 3),
       column("> 1.25", "sd / HMC's"), column("ELBO"), column("k-hat", "", 2), column("R-hat", "chains", 4),
       column("ESS", "chains", 3), column("seconds")}};
  std::vector<std::vector<Json>> rows;
  for (const PriorCase* some : {&answers.paper, &answers.own}) {
    for (const char* method : benchmark_methods)
      rows.push_back(table_row(method == benchmark_methods[0] ? some->prior : "", some->of(method)));
    if (some == &answers.paper) rows.push_back(table_row("", some->compare(answers.adam, adam_label)));
  }
  return table(words, rows);
}

}  // namespace varimesh::paper
