// Tables of poisson.h, and the end of a chapter, which has them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "varimesh/paper/figures.h"
#include "varimesh/paper/poisson.h"

namespace varimesh::paper {
namespace {

constexpr double seconds_per_hour = 3600;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double largest(const std::vector<double>& values) { return *std::ranges::max_element(values); }
double least(const std::vector<double>& values) { return *std::ranges::min_element(values); }

/// The first column of a group of rows: empty where it repeats the one above.
Json first_of_truth(const PoissonCase& some) {
  return some.prior == prior_scales[0] ? Json(fmt::format("{}", some.truth)) : Json("");
}

const PublishedTimes& published_for(const std::vector<PublishedTimes>& published, const PoissonCase& some) {
  return *std::ranges::find_if(published,
                               [&](const auto& row) { return row.truth == some.truth && row.prior == some.prior; });
}

/// The columns that begin each row.
std::vector<Json> case_columns() { return {column("truth \u2113"), column("prior \u2113")}; }
std::vector<Json> case_cells(const PoissonCase& some) { return {first_of_truth(some), fmt::format("{}", some.prior)}; }

struct Fit {
  const char *method, *name;
  double PublishedTimes::* hours;
};
constexpr Fit timed_fits[] = {{"mfvb", "MFVB", &PublishedTimes::mfvb},
                              {"fcvb", "FCVB", &PublishedTimes::fcvb},
                              {"pmvb", "PMVB", &PublishedTimes::pmvb}};

Json time_table(const PoissonPlan& plan, const std::vector<PoissonCase>& cases,
                const std::vector<PublishedTimes>& published) {
  Table words{"table-times-" + plan.id, fmt::format("Table {}: run times, {}", plan.table, plan.title),
              "The paper's hours beside our seconds on one core, by natural gradients. ESS: the least and the largest "
              "effective number of draws of all cells (bulk). HMC takes its mass matrix from a fit, whose time is "
              "counted. The family of low rank is not in the paper.",
              "", case_columns()};
  for (const char* label : {"paper, h", "ESS", "ours, s", "ESS"}) words.columns.push_back(column(label, "HMC", 3));
  for (const Fit& fit : timed_fits) {
    for (const char* label : {"paper, h", "ours, s"}) words.columns.push_back(column(label, fit.name, 2));
  }
  words.columns.push_back(column("ours, s", "Low rank", 2));
  std::vector<std::vector<Json>> rows;
  for (const PoissonCase& some : cases) {
    const PublishedTimes& theirs = published_for(published, some);
    rows.push_back(case_cells(some));
    auto& row = rows.back();
    row.insert(row.end(),
               {fmt::format("{:.1f}", theirs.hmc), fmt::format("{}\u2013{}", theirs.least_ess, theirs.largest_ess),
                some.answers.of("hmc").seconds, fmt::format("{:.0f}\u2013{:.0f}", some.least_ess, some.largest_ess)});
    for (const Fit& fit : timed_fits)
      row.insert(row.end(), {fmt::format("{:.1f}", theirs.*fit.hours), some.answers.of(fit.method).seconds});
    row.emplace_back(some.answers.of("low_rank").seconds);
  }
  return table(words, rows);
}

Json ratio_table(const PoissonPlan& plan, const std::vector<PoissonCase>& cases,
                 const std::vector<PublishedTimes>& published) {
  Table words{
      "table-ratios-" + plan.id, fmt::format("Table {}b: how much faster, {}", plan.table, plan.title),
      "The paper's time over ours, in thousands; and HMC's time over that of a fit, in the paper and here.",
      "Different machines and languages: the first ratios say what a user gains, not which algorithm is better.",
      case_columns()};
  words.columns.push_back(column("HMC", "paper / ours, thousands", 2));
  for (const char* group : {"paper / ours, thousands", "HMC / fit, paper", "HMC / fit, ours"}) {
    for (const Fit& fit : timed_fits) words.columns.push_back(column(fit.name, group, 2));
  }
  std::vector<std::vector<Json>> rows;
  for (const PoissonCase& some : cases) {
    const PublishedTimes& theirs = published_for(published, some);
    const double hmc = some.answers.of("hmc").seconds, thousand_seconds = seconds_per_hour / 1000;
    const auto ours = [&](const Fit& fit) { return some.answers.of(fit.method).seconds; };
    rows.push_back(case_cells(some));
    rows.back().emplace_back(theirs.hmc * thousand_seconds / hmc);
    for (const Fit& fit : timed_fits) rows.back().emplace_back(theirs.*fit.hours * thousand_seconds / ours(fit));
    for (const Fit& fit : timed_fits) rows.back().emplace_back(theirs.hmc / theirs.*fit.hours);
    for (const Fit& fit : timed_fits) rows.back().emplace_back(hmc / ours(fit));
  }
  return table(words, rows);
}

/// Seconds with two digits, without exponents.
std::string seconds_words(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g}", seconds) : fmt::format("{:.0f}", seconds);
}

/// Nats to hundredths, without minus zero.
std::string nats_words(double nats) { return fmt::format("{:.2f}", std::abs(nats) < 0.005 ? 0 : nats); }

Json adam_table(const PoissonPlan& plan, const std::vector<PoissonCase>& cases) {
  const bool all_tried =
      std::ranges::all_of(cases, [](const PoissonCase& some) { return some.adam.size() == std::size(timed_fits); });
  Table words{
      "table-adam-" + plan.id, fmt::format("Table {}c: the paper's optimiser, {}", plan.table, plan.title),
      fmt::format("Adam in our code, on one core, with the paper's {} draws in a step and learning rates, until a "
                  "convergence test is met (the last half of the steps gained less than 0.1 nats) or for {} steps "
                  "(MFVB) or {} (FCVB, PMVB). In the columns: steps in thousands; seconds; by how many nats its ELBO "
                  "then is below that of natural gradients; and its time over theirs.",
                  plan.adam_samples, plan.adam_mean_field_steps, plan.adam_matrix_steps),
      fmt::format("'>': had not converged. The original code could not stop before {} steps (MFVB) or {}.{}",
                  paper_mean_field_steps, paper_matrix_steps,
                  all_tried ? "" : " A dash: not tried, for with a matrix as many steps take minutes."),
      case_columns()};
  for (const Fit& fit : timed_fits) {
    for (const char* label : {"steps", "s", "nats"}) words.columns.push_back(column(label, fit.name));
    words.columns.push_back(column("ratio", fit.name, 2));
  }
  std::vector<std::vector<Json>> rows;
  for (const PoissonCase& some : cases) {
    rows.push_back(case_cells(some));
    for (const Fit& fit : timed_fits) {
      const result::MethodRecord& natural = some.answers.of(fit.method);
      const result::MethodRecord* adam = some.by_adam(fit.method);
      if (!adam) {
        rows.back().insert(rows.back().end(), {nullptr, nullptr, nullptr, nullptr});
        continue;
      }
      const char* sign = adam->status == result::Status::converged ? "" : "> ";
      rows.back().insert(
          rows.back().end(),
          {fmt::format("{}{:.3g}", sign, adam->trace.back().iteration / 1000.0), seconds_words(adam->seconds),
           nats_words(natural.elbo->value - adam->elbo->value), adam->seconds / natural.seconds});
    }
  }
  return table(words, rows);
}

/// A table with a row for each method of each case.
template <class Cells>
Json method_table(Table words, const std::vector<PoissonCase>& cases, const Cells& cells) {
  std::vector<Json> columns = case_columns();
  columns.push_back(column("method"));
  words.columns.insert(words.columns.begin(), columns.begin(), columns.end());
  std::vector<std::vector<Json>> rows;
  for (const PoissonCase& some : cases) {
    for (const char* method : method_words) {
      const bool begins = method == method_words[0];
      rows.push_back(begins ? case_cells(some) : std::vector<Json>{"", ""});
      rows.back().emplace_back(some.answers.of(method).name);
      const std::vector<Json> more = cells(some, method);
      rows.back().insert(rows.back().end(), more.begin(), more.end());
    }
  }
  return table(words, rows);
}

std::string fixed(double value) { return fmt::format("{:.2f}", value); }

}  // namespace

std::vector<Json> agreement_tables(const PoissonPlan& plan, const std::vector<PoissonCase>& cases) {
  const Table shown{
      "table-agreement-" + plan.id,
      fmt::format("Table {}d: agreement with HMC, {}", plan.table, plan.title),
      "For the data in the figures: the largest difference of the means of \u03ba, in standard deviations of HMC; "
      "standard deviations relative to HMC's over the cells; and what the diagnostics say: k-hat of fits (below 0.7 is "
      "good), and of chains the worst R-hat and effective number of draws of all cells.",
      "",
      {column("largest shift"), column("least", "sd / sd of HMC"), column("median", "sd / sd of HMC"),
       column("largest", "sd / sd of HMC"), column("k-hat", "diagnostics"), column("R-hat", "diagnostics"),
       column("ESS", "diagnostics")}};
  const Table repeated{
      "table-repetitions-" + plan.id,
      fmt::format("Table {}e: over {} truths and data sets, {}", plan.table, cases.front().repetitions.size(),
                  plan.title),
      "The same over all repetitions: the median and the worst of the largest shift, the median sd ratio and the least "
      "of all cells, and the mean coverage of the band of two sds (95 % if truth and prior match). Worst R-hat and "
      "effective draws of the chains.",
      "Repetitions have shorter chains, whose own errors are in these numbers.",
      {column("median", "largest shift"), column("worst", "largest shift"), column("median", "sd / sd of HMC"),
       column("least", "sd / sd of HMC"), column("coverage, %"), column("R-hat", "diagnostics"),
       column("ESS", "diagnostics")}};
  const auto shown_cells = [](const PoissonCase& some, const char* method) -> std::vector<Json> {
    const Repetition& numbers = *std::ranges::find(some.repetitions.front(), method, &Repetition::method);
    const bool chains = numbers.ess > 0;
    return {fixed(numbers.largest_shift),
            fixed(numbers.least_ratio),
            fixed(numbers.median_ratio),
            fixed(numbers.largest_ratio),
            chains ? Json(nullptr) : Json(fixed(numbers.khat)),
            chains ? Json(fmt::format("{:.3f}", numbers.rhat)) : Json(nullptr),
            chains ? Json(fmt::format("{:.0f}", numbers.ess)) : Json(nullptr)};
  };
  const auto repeated_cells = [](const PoissonCase& some, const char* method) -> std::vector<Json> {
    const bool chains = least(some.all(method, &Repetition::ess)) > 0;
    return {fixed(quantile(some.all(method, &Repetition::largest_shift), 0.5)),
            fixed(largest(some.all(method, &Repetition::largest_shift))),
            fixed(quantile(some.all(method, &Repetition::median_ratio), 0.5)),
            fixed(least(some.all(method, &Repetition::least_ratio))),
            fmt::format("{:.0f}", 100 * mean(some.all(method, &Repetition::coverage))),
            chains ? Json(fmt::format("{:.3f}", largest(some.all(method, &Repetition::rhat)))) : Json(nullptr),
            chains ? Json(fmt::format("{:.0f}", least(some.all(method, &Repetition::ess)))) : Json(nullptr)};
  };
  std::vector<Json> tables = {method_table(shown, cases, shown_cells)};
  if (cases.front().repetitions.size() > 1) tables.push_back(method_table(repeated, cases, repeated_cells));
  return tables;
}

std::vector<Json> time_tables(const PoissonPlan& plan, const std::vector<PoissonCase>& cases,
                              const std::vector<PublishedTimes>& published) {
  return {time_table(plan, cases, published), ratio_table(plan, cases, published), adam_table(plan, cases)};
}

void add_common_end(const PoissonPlan& plan, const std::vector<PoissonCase>& cases,
                    const std::vector<PublishedTimes>& published, Chapter& chapter) {
  for (Json& block : time_tables(plan, cases, published)) chapter.blocks.push_back(std::move(block));
  for (Json& block : agreement_tables(plan, cases)) chapter.blocks.push_back(std::move(block));
  chapter.blocks.push_back(coverage_figure(plan, cases));
  const Claim speed = speed_claim(plan, cases, published, "table-times-" + plan.id);
  chapter.claims.push_back(speed);
  chapter.evidence = poisson_evidence(plan, cases, speed);
}

}  // namespace varimesh::paper
