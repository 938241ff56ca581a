#pragma once

#include <functional>
#include <string>
#include <vector>

#include "varimesh/paper/chapter.h"
#include "varimesh/paper/study.h"

namespace varimesh::paper {

// What the experiments Poisson 1D and 2D have in common: truths and priors of several length-scales, the paper's five
// methods and the family of low rank, and what is asked of them.

constexpr double truth_scales[] = {0.2, 0.1};
constexpr double prior_scales[] = {0.1, 0.2, 0.3};
constexpr const char* method_words[] = {"hmc", "pcn", "mfvb", "fcvb", "pmvb", "low_rank"};

/// What differs between the two.
struct PoissonPlan {
  std::string id;     ///< "poisson-1d"
  std::string title;  ///< "Poisson 1D"
  std::string_view problem;
  std::string flux_label;  ///< of the quantity of interest
  int table = 0;           ///< the paper's number of its table of times
  Index adam_samples = 5;  ///< N_SVI of the paper's table of times
  /// Its steps at most: of mean field, and of the families with matrices.
  Index adam_mean_field_steps = 0, adam_matrix_steps = 0;
  double adam_pace = 1;  ///< its steps with a matrix that take as long as another inference, for progress
  /// Settings over the problem file for a prior: of HMC, of pCN, and of repetitions.
  std::function<std::vector<run::Override>(double prior)> hmc, pcn, repetition;
  /// Whether the paper's optimiser is tried, too.
  std::function<bool(double truth, double prior, run::Method method)> tries_adam;

  Index adam_steps(run::Method method) const {
    return method == run::Method::mfvb ? adam_mean_field_steps : adam_matrix_steps;
  }
  double adam_weight(run::Method method) const { return static_cast<double>(adam_steps(method)) / adam_pace; }
};

/// All that was inferred for one truth's length-scale and one prior's.
struct PoissonCase {
  double truth = 0, prior = 0;
  Answers answers;                                   ///< by method_words, of the data in the figures
  std::vector<result::MethodRecord> adam;            ///< by the paper's optimiser, as far as it was tried
  std::vector<std::vector<Repetition>> repetitions;  ///< for each seed, by method
  double least_ess = 0, largest_ess = 0;             ///< of HMC's unknowns
  /// One number of a method in all repetitions.
  std::vector<double> all(std::string_view method, double Repetition::* number) const;
  /// The paper's optimiser; null if it was not tried.
  const result::MethodRecord* by_adam(std::string_view method) const;
};

/// The weight of all that run_poisson infers.
double poisson_work(const PoissonPlan& plan, const StudyOptions& options);
/// The cases, for each truth in order those of its priors.
std::vector<PoissonCase> run_poisson(const Study& study, const PoissonPlan& plan);

/// The directory of data of a truth, the main ones or those of another seed.
std::string data_name(double truth, Index seed = 1);

/// The cases of one truth.
std::vector<const PoissonCase*> of_truth(const std::vector<PoissonCase>& cases, double truth);
/// "ℓ = 0.1", for headings.
std::string scale_heading(double prior);

/// The precision matrix of a fit, or the inverse of the covariance of draws.
Matrix precision_matrix(const result::MethodRecord& method);

// Blocks of a chapter.

Json error_figure(const PoissonPlan& plan, const std::vector<PoissonCase>& cases, double truth, const std::string& id,
                  const Claim& claim);
Json flux_figure(const PoissonPlan& plan, const std::vector<PoissonCase>& cases, double truth, const std::string& id,
                 const Claim& claim);
Json coverage_figure(const PoissonPlan& plan, const std::vector<PoissonCase>& cases);
/// Means and sds against HMC's: in the figures, and over all repetitions.
std::vector<Json> agreement_tables(const PoissonPlan& plan, const std::vector<PoissonCase>& cases);

/// The paper's times: hours, and the effective sample sizes of HMC.
struct PublishedTimes {
  double truth, prior, hmc;
  int least_ess, largest_ess;
  double mfvb, fcvb, pmvb;
};
/// Table 1 or 2 beside ours, their ratios, and the paper's optimiser.
std::vector<Json> time_tables(const PoissonPlan& plan, const std::vector<PoissonCase>& cases,
                              const std::vector<PublishedTimes>& published);

// Claims that both experiments test. Those about figures depend on the truth's length-scale.

Claim errors_claim(const PoissonPlan& plan, const std::vector<PoissonCase>& all, double truth,
                   const std::string& figure);
Claim speed_claim(const PoissonPlan& plan, const std::vector<PoissonCase>& all,
                  const std::vector<PublishedTimes>& published, const std::string& table);
/// On the first six of the seven conclusions; `speed` is the fourth.
std::vector<Evidence> poisson_evidence(const PoissonPlan& plan, const std::vector<PoissonCase>& all,
                                       const Claim& speed);

/// What both chapters end with: times, agreement and coverage, and what follows from them.
void add_common_end(const PoissonPlan& plan, const std::vector<PoissonCase>& cases,
                    const std::vector<PublishedTimes>& published, Chapter& chapter);

}  // namespace varimesh::paper
