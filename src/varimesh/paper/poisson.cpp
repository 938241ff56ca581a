#include "varimesh/paper/poisson.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>

#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/linalg/dense.h"

namespace varimesh::paper {
namespace {

using run::Method;
using Overrides = std::vector<run::Override>;

Overrides joined(Overrides settings, const Overrides& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

Overrides prior_settings(double prior) { return {setting("prior.length_scale", prior)}; }

std::string case_name(double prior) { return fmt::format("prior-{}", prior); }

/// Chains and fits on the data of the figures; pCN, which has settings of its own, apart.
void ask_methods(const Study& study, const PoissonPlan& plan, PoissonCase& found, Answers& pcn,
                 std::vector<Task>& tasks) {
  const std::string data = data_name(found.truth), name = case_name(found.prior);
  study.ask({data,
             name,
             joined(prior_settings(found.prior), plan.hmc(found.prior)),
             {Method::hmc, Method::mfvb, Method::fcvb, Method::pmvb, Method::low_rank}},
            found.answers, tasks);
  study.ask({data, name + "-pcn", joined(prior_settings(found.prior), plan.pcn(found.prior)), {Method::pcn}}, pcn,
            tasks);
}

/// What follows from the answers to ask_methods.
void take_answers(Answers pcn, PoissonCase& found) {
  auto& methods = found.answers.methods;
  methods.insert(methods.begin() + 1, std::move(pcn.methods.front()));
  found.least_ess = found.largest_ess = methods.front().chains->ess_bulk;
  for (const auto& unknown : diagnostics::diagnose(methods.front().draws, 1))
    found.largest_ess = std::max(found.largest_ess, unknown.ess_bulk);
  for (const result::MethodRecord& method : methods)
    found.repetitions.front().push_back(summarize(found.answers.problem, method, methods.front()));
}

/// The paper's optimiser, with one family.
void ask_adam(const Study& study, const PoissonPlan& plan, Method method, PoissonCase& found,
              std::vector<Task>& tasks) {
  if (!plan.tries_adam(found.truth, found.prior, method)) return;
  const auto steps = static_cast<double>(plan.adam_steps(method));
  Overrides settings = prior_settings(found.prior);
  settings.push_back(setting("method.draws", 1000));
  settings.push_back(setting("method.fit.optimizer", "adam"));
  settings.push_back(setting("method.fit.samples", static_cast<double>(plan.adam_samples)));
  settings.push_back(setting("method.fit.max_iterations", steps));
  const Case asked = {data_name(found.truth),
                      fmt::format("{}-adam-{}", case_name(found.prior), run::name(method)),
                      std::move(settings),
                      {method},
                      plan.adam_weight(method)};
  const std::size_t place = found.adam.size();
  found.adam.emplace_back();
  tasks.emplace_back(
      [&study, &found, place, asked] { found.adam[place] = std::move(study.infer(asked).methods.front()); });
}

/// Another seed, of which only numbers are kept.
void ask_repetition(const Study& study, const PoissonPlan& plan, Index seed, PoissonCase& found,
                    std::vector<Task>& tasks) {
  const Case asked = {data_name(found.truth, seed),
                      case_name(found.prior),
                      joined(prior_settings(found.prior), plan.repetition(found.prior)),
                      {Method::hmc, Method::pcn, Method::mfvb, Method::fcvb, Method::pmvb, Method::low_rank}};
  const auto place = static_cast<std::size_t>(seed - 1);
  tasks.emplace_back([&study, &found, place, asked] { found.repetitions[place] = study.repeat(asked); });
}

}  // namespace

std::vector<double> PoissonCase::all(std::string_view method, double Repetition::* number) const {
  std::vector<double> values;
  for (const auto& repetition : repetitions) {
    const auto found = std::ranges::find(repetition, method, &Repetition::method);
    if (found != repetition.end()) values.push_back(*found.*number);
  }
  return values;
}

const result::MethodRecord* PoissonCase::by_adam(std::string_view method) const {
  const auto found = std::ranges::find(adam, method, &result::MethodRecord::method);
  return found == adam.end() ? nullptr : &*found;
}

double poisson_work(const PoissonPlan& plan, const StudyOptions& options) {
  double work = 0;
  for (const double truth : truth_scales) {
    for (const double prior : prior_scales) {
      work += static_cast<double>(options.seeds) * static_cast<double>(std::size(method_words));
      for (const Method method : {Method::mfvb, Method::fcvb, Method::pmvb})
        work += plan.tries_adam(truth, prior, method) ? plan.adam_weight(method) : 0;
    }
  }
  return work;
}

std::vector<PoissonCase> run_poisson(const Study& study, const PoissonPlan& plan) {
  const Index seeds = study.options().seeds;
  std::vector<PoissonCase> cases;
  for (const double truth : truth_scales) {
    for (Index seed = 1; seed <= seeds; ++seed)
      study.make_data(data_name(truth, seed), static_cast<std::uint64_t>(seed), prior_settings(truth));
    for (const double prior : prior_scales) {
      PoissonCase& found = cases.emplace_back();
      found.truth = truth;
      found.prior = prior;
      found.repetitions.resize(static_cast<std::size_t>(seeds));
    }
  }
  // The longest first, so that no thread waits for another at the end.
  std::vector<Task> tasks;
  std::vector<Answers> pcn(cases.size());
  for (const Method method : {Method::pmvb, Method::fcvb})
    for (PoissonCase& found : cases) ask_adam(study, plan, method, found, tasks);
  for (std::size_t k = 0; k < cases.size(); ++k) ask_methods(study, plan, cases[k], pcn[k], tasks);
  for (Index seed = 2; seed <= seeds; ++seed)
    for (PoissonCase& found : cases) ask_repetition(study, plan, seed, found, tasks);
  for (PoissonCase& found : cases) ask_adam(study, plan, Method::mfvb, found, tasks);
  study.run(tasks);

  std::vector<Task> rest;
  for (std::size_t k = 0; k < cases.size(); ++k)
    rest.emplace_back([&, k] { take_answers(std::move(pcn[k]), cases[k]); });
  study.run(rest);
  return cases;
}

std::string data_name(double truth, Index seed) {
  return seed == 1 ? fmt::format("truth-{}", truth) : fmt::format("truth-{}-seed-{}", truth, seed);
}

std::vector<const PoissonCase*> of_truth(const std::vector<PoissonCase>& cases, double truth) {
  std::vector<const PoissonCase*> found;
  for (const PoissonCase& some : cases) {
    if (some.truth == truth) found.push_back(&some);
  }
  return found;
}

std::string scale_heading(double prior) { return fmt::format("prior \u2113 = {}", prior); }

Matrix precision_matrix(const result::MethodRecord& method) {
  if (!method.components.empty()) {
    const gaussian::Gaussian& fit = *method.components.front();
    Matrix precision = fit.precision_times(Matrix::Identity(fit.size(), fit.size()));
    // Entries that a sparse precision matrix does not have come out as rounding errors.
    constexpr double rounding = 1e-12;
    const double least = rounding * precision.cwiseAbs().maxCoeff();
    return (precision.array().abs() < least).select(0, precision);
  }
  const Matrix draws = method.draws.spread(method.num_draws());
  const Matrix centred = draws.colwise() - draws.rowwise().mean();
  Matrix covariance(draws.rows(), draws.rows());
  linalg::multiply(linalg::Transpose::no, linalg::Transpose::yes, 1 / static_cast<double>(draws.cols() - 1), centred,
                   centred, 0, covariance);
  return covariance.ldlt().solve(Matrix::Identity(covariance.rows(), covariance.cols()));
}

}  // namespace varimesh::paper
