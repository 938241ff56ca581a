#include "varimesh/run/trust.h"

#include <fmt/format.h>

#include <cmath>

namespace varimesh::run {
namespace {

using result::Status;
using Level = result::TrustItem::Level;

void add(result::MethodRecord& record, Level level, std::string headline, std::string explanation,
         std::string action = "") {
  record.trust.push_back({level, std::move(headline), std::move(explanation), std::move(action)});
}

/// Splits "what is wrong. What to do." after its first sentence.
std::pair<std::string, std::string> split_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  if (end == std::string::npos) return {text, ""};
  return {text.substr(0, end + 1), text.substr(end + 2)};
}

/// The share of a normal distribution beyond two sds is 4.55 %. More than three sds of a binomial count above that is
/// no chance.
bool too_many_beyond_two(Index beyond, Index count) {
  constexpr double share = 0.0455;
  return beyond > share * count + 3 * std::sqrt(share * (1 - share) * count);
}

void judge_data(const Problem& problem, result::MethodRecord& record) {
  const inverse::Observations& data = *problem.observations;
  // Both the measurements and the prediction are uncertain: z = (mean - predicted) / sqrt(sigma^2 / count + sd^2).
  const Vector variance = data.weight.cwiseInverse() + record.predicted.sd.cwiseAbs2();
  const Vector z = (data.mean - record.predicted.mean).cwiseQuotient(variance.cwiseSqrt());
  const auto count = static_cast<Index>(z.size()), beyond = static_cast<Index>((z.array().abs() > 2).count());
  const double within = 100.0 * (count - beyond) / count;
  Eigen::Index worst = 0;
  const double largest = z.cwiseAbs().maxCoeff(&worst);
  const std::string found = fmt::format(
      "{:.0f} % of the {} sensors lie within two standard deviations of what is predicted (about 95 % should), the "
      "furthest, sensor {}, at {:.1f}.",
      within, count, worst, largest);
  if (!z.allFinite()) {
    add(record, Level::bad, "The fit to the data cannot be judged.", "Predictions are not finite at some sensors.",
        "Check the problem with 'varimesh check', and kappa.csv for extreme values.");
  } else if (too_many_beyond_two(beyond, count)) {
    add(record, Level::bad, "The data are not explained.", found,
        "Check sigma (too small?), outliers among the sensors, boundary conditions and the source; a prior with a "
        "shorter length-scale or larger sigma allows more variation.");
  } else if (count >= 20 && beyond == 0 && z.squaredNorm() / count < 0.25) {
    add(record, Level::warn, "The data are explained better than noise allows.", found,
        "Is sigma larger than the real noise, or are rows repeated that are no replicates? Then uncertainties are too "
        "large or too small.");
  } else {
    add(record, Level::good, "The data are explained.", found);
  }
}

void judge_truth(const result::Truth& truth, result::MethodRecord& record) {
  const Vector z = (truth.kappa - record.kappa.mean).cwiseQuotient(record.kappa.sd);
  const auto count = static_cast<Index>(z.size()), covered = static_cast<Index>((z.array().abs() <= 2).count());
  const double share = 100.0 * covered / count;
  const std::string found = fmt::format("The true kappa lies within two sds of the mean in {} of {} cells ({:.0f} %).",
                                        covered, count, share);
  // Neighbouring cells go together, so that the share varies far more than that of independent ones.
  if (share >= 80) {
    add(record, Level::good, "The truth is covered.", found + " About 95 % are expected on average over many truths.");
  } else {
    add(record, Level::warn, "The truth is often missed.", found + " About 95 % are expected on average.",
        "A mean-field fit has sds that are too small; otherwise the prior may not allow for this truth, or this may "
        "be one of the rare draws.");
  }
}

}  // namespace

void judge_fit(result::MethodRecord& record) {
  switch (record.status) {
    case Status::converged:
      return add(record, Level::good, "The fit has converged.", "It ended because: " + record.message + ".");
    case Status::iteration_limit:
      return add(record, Level::warn, "The fit has not converged.", "It ended because: " + record.message + ".",
                 "Allow more iterations (method.fit.max_iterations) or a larger tolerance (method.fit.tolerance).");
    case Status::diverged:
      return add(record, Level::bad, "The method failed.", "It ended because: " + record.message + ".",
                 "Check the problem with 'varimesh check'; a narrower prior keeps kappa where the equation can be "
                 "solved.");
    case Status::interrupted:
      return add(record, Level::bad, "The method was interrupted.", "It ended because: " + record.message + ".",
                 "Go on with the option --resume.");
    case Status::completed:
      return;
  }
}

void judge_weights(const variational::ImportanceCheck& check, Method method, result::MethodRecord& record) {
  using diagnostics::Verdict;
  const std::string found = fmt::format("Importance weights of {} draws: {}.", check.psis.num_draws(), check.verdict);
  switch (check.psis.verdict) {
    case Verdict::good:
      add(record, Level::good, "The approximation is close to the posterior.", found);
      break;
    case Verdict::poor:
      add(record, Level::warn, "The approximation differs from the posterior.", found,
          "Means are usually good, sds and tails less so: compare with the method nuts.");
      break;
    case Verdict::bad:
      add(record, Level::warn, "The approximation differs from the posterior.",
          found + " With many unknowns this is common even of good fits: small differences in every one add up.",
          "Compare with the method nuts before relying on sds and tails.");
      break;
    case Verdict::undetermined:
      add(record, Level::warn, "Not known how close the approximation is.", found,
          "Allow more draws (method.draws), or compare with the method nuts.");
  }
  if (method == Method::mfvb)
    add(record, Level::warn, "Correlations between cells are left out.",
        "Independent normals have sds that are too small where neighbouring cells go together, and their draws are "
        "rougher than the field can be.",
        "Take pmvb or fcvb unless only the mean matters.");
  if (check.failures > 0)
    add(record, Level::warn, "The equation cannot be solved at some draws.",
        fmt::format("{} of {} draws are so extreme that exp(kappa) overflows or varies too much.", check.failures,
                    check.psis.num_draws()),
        "Take a narrower prior.");
}

void judge_chains(const diagnostics::ChainsVerdict& verdict, result::MethodRecord& record) {
  judge_fit(record);
  if (verdict.is_good) {
    add(record, Level::good, "The chains have converged.",
        fmt::format("R-hat is at most {:.4f} (below {}), and there are at least {:.0f} effective draws of the bulk and "
                    "{:.0f} of the tails of every unknown.",
                    verdict.rhat.value, diagnostics::largest_good_rhat, verdict.ess_bulk.value,
                    verdict.ess_tail.value));
    return;
  }
  // Chains that disagree are wrong; chains that are short or diverge now and then are imprecise.
  const bool disagree = !(verdict.rhat.value <= 1.05) || verdict.undetermined > 0;
  for (const std::string& sentence : verdict.sentences) {
    const auto [what, action] = split_sentence(sentence);
    add(record, disagree ? Level::bad : Level::warn,
        disagree ? "The chains have not converged." : "The chains need a closer look.", what, action);
  }
}

void judge_predictions(const Problem& problem, Index failures, const result::Truth* truth,
                       result::MethodRecord& record) {
  if (failures > 0 && record.chains)
    add(record, Level::warn, "The equation cannot be solved at some draws.",
        fmt::format("{} of {} draws are too extreme.", failures, record.num_draws()), "Take a narrower prior.");
  if (problem.observations) judge_data(problem, record);
  if (truth) judge_truth(*truth, record);
}

}  // namespace varimesh::run
