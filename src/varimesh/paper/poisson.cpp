#include "varimesh/paper/poisson.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>

#include "varimesh/diagnostics/chain_diagnostics.h"

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

/// One truth and one prior: chains and fits on the data of the figures.
PoissonCase run_case(const Study& study, const PoissonPlan& plan, double truth, double prior) {
  PoissonCase found;
  found.truth = truth;
  found.prior = prior;
  const std::string data = data_name(truth), name = case_name(prior);
  found.answers = study.infer({data,
                               name,
                               joined(prior_settings(prior), plan.hmc(prior)),
                               {Method::hmc, Method::mfvb, Method::fcvb, Method::pmvb}});
  Answers pcn = study.infer({data, name + "-pcn", joined(prior_settings(prior), plan.pcn(prior)), {Method::pcn}});
  auto& methods = found.answers.methods;
  methods.insert(methods.begin() + 1, std::move(pcn.methods.front()));
  found.least_ess = found.largest_ess = methods.front().chains->ess_bulk;
  for (const auto& unknown : diagnostics::diagnose(methods.front().draws, study.options().threads))
    found.largest_ess = std::max(found.largest_ess, unknown.ess_bulk);
  std::vector<Repetition> numbers;
  for (const result::MethodRecord& method : methods)
    numbers.push_back(summarize(found.answers.problem, method, methods.front()));
  found.repetitions.push_back(std::move(numbers));
  return found;
}

/// The paper's optimiser, two fits at a time.
void run_adam(const Study& study, const PoissonPlan& plan, std::vector<PoissonCase>& cases) {
  std::vector<Case> asked;
  std::vector<PoissonCase*> owners;
  for (const Method method : {Method::pmvb, Method::fcvb, Method::mfvb}) {  // the longest first
    const Index steps = method == Method::mfvb ? plan.adam_mean_field_steps : plan.adam_matrix_steps;
    for (PoissonCase& found : cases) {
      if (!plan.tries_adam(found.truth, found.prior, method)) continue;
      Overrides settings = prior_settings(found.prior);
      settings.push_back(setting("method.draws", 1000));
      settings.push_back(setting("method.fit.optimizer", "adam"));
      settings.push_back(setting("method.fit.samples", static_cast<double>(plan.adam_samples)));
      settings.push_back(setting("method.fit.max_iterations", static_cast<double>(steps)));
      asked.push_back({data_name(found.truth),
                       fmt::format("{}-adam-{}", case_name(found.prior), run::name(method)),
                       std::move(settings),
                       {method}});
      owners.push_back(&found);
    }
  }
  std::vector<Answers> answers = study.infer_side_by_side(asked);
  for (std::size_t k = 0; k < answers.size(); ++k) owners[k]->adam.push_back(std::move(answers[k].methods.front()));
}

/// The other seeds, of which only numbers are kept.
void run_repetitions(const Study& study, const PoissonPlan& plan, std::vector<PoissonCase>& cases) {
  std::vector<Case> asked;
  std::vector<PoissonCase*> owners;
  for (Index seed = 2; seed <= study.options().seeds; ++seed) {
    for (PoissonCase& found : cases) {
      const std::string data = data_name(found.truth, seed);
      study.make_data(data, static_cast<std::uint64_t>(seed), prior_settings(found.truth));
      asked.push_back({data,
                       case_name(found.prior),
                       joined(prior_settings(found.prior), plan.repetition(found.prior)),
                       {Method::hmc, Method::pcn, Method::mfvb, Method::fcvb, Method::pmvb}});
      owners.push_back(&found);
    }
  }
  std::vector<std::vector<Repetition>> numbers = study.repeat(asked);
  for (std::size_t k = 0; k < numbers.size(); ++k) owners[k]->repetitions.push_back(std::move(numbers[k]));
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

Index count_inferences(const PoissonPlan& plan, const StudyOptions& options) {
  Index count = 0;
  for (const double truth : truth_scales) {
    for (const double prior : prior_scales) {
      count += options.seeds * static_cast<Index>(std::size(method_words));
      for (const Method method : {Method::mfvb, Method::fcvb, Method::pmvb})
        count += plan.tries_adam(truth, prior, method) ? 1 : 0;
    }
  }
  return count;
}

std::vector<PoissonCase> run_poisson(const Study& study, const PoissonPlan& plan) {
  std::vector<PoissonCase> cases;
  for (const double truth : truth_scales) {
    study.make_data(data_name(truth), 1, prior_settings(truth));
    for (const double prior : prior_scales) cases.push_back(run_case(study, plan, truth, prior));
  }
  run_adam(study, plan, cases);
  run_repetitions(study, plan, cases);
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
  const Matrix covariance = centred * centred.transpose() / static_cast<double>(draws.cols() - 1);
  return covariance.ldlt().solve(Matrix::Identity(covariance.rows(), covariance.cols()));
}

}  // namespace varimesh::paper
