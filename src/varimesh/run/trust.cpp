#include "varimesh/run/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/number_words.h"
#include "varimesh/run/add_finding.h"

namespace varimesh::run {
namespace {

using result::Status;
using Level = result::TrustItem::Level;
using Kind = result::TrustItem::Kind;

constexpr Index unknowns_with_large_ratios = 50;  // among which small differences add up to large importance ratios

/// Splits "what is wrong. What to do." after its first sentence.
std::pair<std::string, std::string> split_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  if (end == std::string::npos) return {text, ""};
  return {text.substr(0, end + 1), text.substr(end + 2)};
}

void judge_truth(const result::Truth& truth, result::MethodRecord& record) {
  constexpr Index enough = 20;  // below that the share says little
  const Vector z = (truth.kappa - record.kappa.mean).cwiseQuotient(record.kappa.sd);
  const auto count = static_cast<Index>(z.size()), covered = static_cast<Index>((z.array().abs() <= 2).count());
  const double share = 100.0 * covered / count;
  const std::string found = fmt::format(
      "The true kappa lies within two sds of the mean for {} of {} ({:.0f} %); 95 % are expected on average over many "
      "truths.",
      covered, counted(count, "unknown"), share);
  const Looked looked{Kind::truth, {}, {{"covered", covered}, {"unknowns", count}}};
  // Neighbouring cells go together, so that the share varies far more than that of independent ones.
  if (share >= 90 || count < enough) {
    add(record, Level::good, looked, share >= 90 ? "The truth is covered." : "The truth is known.", found);
  } else {
    add(record, Level::warn, looked, "The truth is often missed.", found,
        record.method == "mfvb" ? "Independent normals are too narrow: take low_rank or fcvb."
                                : "Either the method's sds are too small (see the other checks), or the prior does not "
                                  "allow for this truth.");
  }
}

void name_fixed_quantities(const result::ProblemRecord& problem, result::MethodRecord& record) {
  for (std::size_t q = 0; q < problem.quantities.size(); ++q) {
    const result::QuantitySummary& quantity = record.quantities[q];
    if (quantity.density.size() == 0 && std::isfinite(quantity.mean))
      add(record, Level::good, {Kind::dependence, problem.quantities[q].name, {{"value", quantity.mean}}},
          fmt::format("'{}' does not depend on the field.", problem.quantities[q].name),
          fmt::format(
              "It is {:.6g} for every draw: the loads alone determine it, as the total flux out of a body with one "
              "outlet, or u where it is prescribed.",
              quantity.mean));
  }
}

/// "1 of 400 draws is", "2 of 400 draws are".
std::string how_many_are(Index some, Index draws) {
  return fmt::format("{} of {} {}", some, counted(draws, "draw"), some == 1 ? "is" : "are");
}

/// What a sentence of the chains' verdict is about.
std::string headline(const std::string& sentence) {
  if (sentence.starts_with("R-hat")) return "The chains do not agree yet.";
  if (sentence.starts_with("The bulk") || sentence.starts_with("The tail")) return "There are few effective draws.";
  if (sentence.find("diverged") != std::string::npos) return "Some transitions diverged.";
  if (sentence.starts_with("E-BFMI")) return "Energies are explored slowly.";
  return "Convergence cannot be judged.";
}

/// What a fit of low rank leaves out, in words.
std::string left_out(const result::MethodRecord& record) {
  if (!record.rank) return "";
  return fmt::format(
      " The data say something of {}; what is left out costs at most {:.2g} nats and makes no sd more than "
      "{:.2g} % too large.",
      counted(record.rank->rank, "direction"), record.rank->nats, 100 * record.rank->sd);
}

/// Chains are judged by every unknown; a quantity may converge more slowly than all of them.
void judge_quantity_chains(const result::ProblemRecord& problem, result::MethodRecord& record) {
  const Index chains = record.draws.num_chains(), draws = record.draws.num_draws();
  for (std::size_t q = 0; q < problem.quantities.size(); ++q) {
    const Vector values = record.quantity_draws.row(static_cast<Eigen::Index>(q));
    if (record.quantities[q].density.size() == 0 || !values.allFinite()) continue;
    const auto found = diagnostics::diagnose(values.reshaped(draws, chains));
    if (diagnostics::have_converged(found, chains)) continue;
    const double ess = std::min(found.ess_bulk, found.ess_tail),
                 needed = diagnostics::fewest_good_ess_per_chain * chains;
    const bool disagree = !(found.rhat <= diagnostics::largest_usable_rhat);
    add(record, disagree ? Level::bad : Level::warn,
        {Kind::convergence, problem.quantities[q].name, {{"rhat", found.rhat}, {"ess", ess}}},
        fmt::format("'{}' is not known precisely yet.", problem.quantities[q].name),
        fmt::format(
            "Its R-hat is {} (wanted: at most {}), and it has {} (wanted: {:.0f}).",
            std::isfinite(found.rhat) ? told_apart(found.rhat, diagnostics::largest_good_rhat, 3).first : "not known",
            diagnostics::largest_good_rhat,
            std::isfinite(ess) ? told_apart(ess, needed, 0).first + " effective draws"
                               : "too few draws to tell how many are effective",
            needed),
        "Run the chains longer.");
  }
}

/// A fit may be close to the posterior as a whole, and wrong for what was asked for.
void judge_quantity_weights(const result::ProblemRecord& problem, result::MethodRecord& record) {
  constexpr double large_shift = 0.3, large_ratio = 1.2;
  const std::string advice = record.method == "auto" ? "Allow auto more time (--budget), or compare with nuts."
                                                     : "Take the method auto, or compare with nuts.";
  if (!record.khat || !(record.khat->value < record.khat->threshold) || !can_be_reweighted(record)) return;
  for (std::size_t q = 0; q < problem.quantities.size(); ++q) {
    const result::QuantitySummary& quantity = record.quantities[q];
    if (quantity.density.size() == 0) continue;
    const std::string& name = problem.quantities[q].name;
    const Reweighted found = reweight(record.quantity_draws.row(static_cast<Eigen::Index>(q)), record.log_weights);
    const double shift = (found.mean - quantity.mean) / quantity.sd, ratio = found.sd / quantity.sd;
    const Looked looked{Kind::approximation, name, {{"khat", found.khat}, {"shift", shift}, {"sd_ratio", ratio}}};
    const std::string moments = fmt::format("Weighted, its mean moves by {}, and its sd is {}.", amount(shift, 2, "sd"),
                                            times_as(ratio, 2, "large"));
    if (!(found.khat < record.khat->threshold))
      add(record, Level::warn, looked, fmt::format("It is not known how close the fit is for '{}'.", name),
          fmt::format("Its own k-hat is {:.2f}: a few draws decide what its sd is.", found.khat), advice);
    else if (std::abs(shift) > large_shift || std::max(ratio, 1 / ratio) > large_ratio)
      add(record, Level::warn, looked, fmt::format("The fit is off for '{}'.", name), moments, advice);
    else if (record.khat->value < diagnostics::proven_khat && found.khat < diagnostics::usable_khat)
      add(record, Level::good, looked, fmt::format("The fit is close for '{}'.", name), moments);
  }
}

/// Weights with a thin tail say what the exact field is: a fit is close only if that is what it says, too.
void judge_field_weights(Looked looked, const std::string& found, const std::string& advice,
                         result::MethodRecord& record) {
  const FieldChange change = field_change_by_weights(record);
  const double ratio = std::exp(change.log_ratio);
  looked.numbers.insert(looked.numbers.end(),
                        {{"shift", change.shift}, {"largest_shift", change.largest_shift}, {"sd_ratio", ratio}});
  const std::string moved = fmt::format(
      " Weighted, the means of the field move by {} (root mean square; {:.2g} at most), and its sds are {} on average.",
      amount(change.shift, 2, "sd"), change.largest_shift, times_as(ratio, 3, "large"));
  if (is_noticeable(change))
    add(record, Level::warn, std::move(looked), "The fit is off for the field.", found + moved, advice);
  else
    add(record, Level::good, std::move(looked), "The approximation is close to the posterior.", found + moved);
}

/// What stands in for a fit, in words: a headline's subject, and what it is.
std::pair<std::string, std::string> words_for(const Correction& correction) {
  switch (correction.kind) {
    case Correction::none:
      return {"The fit", ""};
    case Correction::local:
      return {"The fit, with the covariance at its mean,",
              "Sds of a fit are too small where the posterior is not normal; those of the curvature at its mean are "
              "closer as a rule, and all numbers are of a normal distribution with these. "};
    case Correction::randomized:
      return {"Weighted draws by optimisation",
              fmt::format("{} draws were made that are not normal, but follow the model's nonlinearity in the {} "
                          "that the data inform, and taken as often as their importance weights say (k-hat "
                          "{:.2f}, as good as {:.0f} draws for every quantity). All numbers are of these. ",
                          correction.draws, counted(correction.directions, "direction"), correction.khat,
                          correction.effective)};
  }
  return {};
}

}  // namespace

void judge_end(result::MethodRecord& record) {
  switch (record.status) {
    case Status::converged:
      return add(record, Level::good, {Kind::end}, "The fit has converged.",
                 "It ended because: " + record.message + "." + left_out(record));
    case Status::iteration_limit:
      return add(record, Level::warn, {Kind::end}, "The fit has not converged.",
                 "It ended because: " + record.message + ".",
                 "Allow more iterations (method.fit.max_iterations) or a larger tolerance (method.fit.tolerance).");
    case Status::diverged:
      return add(record, Level::bad, {Kind::end}, "The method failed.", "It ended because: " + record.message + ".",
                 "Check the problem with 'varimesh check'; a narrower prior keeps kappa where the equation can be "
                 "solved.");
    case Status::interrupted:
      return add(record, Level::bad, {Kind::end}, "The method was interrupted.",
                 "It ended because: " + record.message + ".", "Go on with the option --resume.");
    case Status::completed:
      return;
  }
}

void judge_weights(const variational::ImportanceCheck& check, Method method, result::MethodRecord& record) {
  using diagnostics::Verdict;
  const std::string found =
      fmt::format("Importance weights of {}: {}.", counted(check.psis.num_draws(), "draw"), check.verdict);
  const Looked looked{
      Kind::approximation, {}, {{"khat", check.psis.khat}, {"draws", static_cast<double>(check.psis.num_draws())}}};
  const std::string advice = method == Method::automatic ? "Compare with the method nuts."
                                                         : "The method auto checks it by exact draws; nuts compares.";
  switch (check.psis.verdict) {
    case Verdict::good:
      // Seen with k-hat 0.53: the sd of a flux less than half of what it should be.
      if (check.psis.khat < diagnostics::proven_khat)
        judge_field_weights(looked, found, advice, record);
      else
        add(record, Level::warn, looked, "The approximation is not proven close to the posterior.",
            found + " Sds of single quantities can still be too small.", advice);
      break;
    case Verdict::poor:
      add(record, Level::warn, looked, "The approximation differs somewhat from the posterior.", found,
          "Means are usually good, sds and tails less so: compare with the method nuts.");
      break;
    case Verdict::bad: {
      const bool many = check.draws.rows() > unknowns_with_large_ratios;
      add(record, Level::bad, looked, "The approximation differs from the posterior.",
          found + (many ? " Small differences in every one of many unknowns may add up to this." : ""),
          std::string("Do not rely on sds and tails without a comparison with the method nuts") +
              (method == Method::automatic ? "." : ", or take auto."));
      break;
    }
    case Verdict::undetermined:
      add(record, Level::warn, looked, "Not known how close the approximation is.", found,
          "Allow more draws (method.draws), or compare with the method nuts.");
  }
  if (method == Method::mfvb)
    add(record, Level::warn, {Kind::approximation}, "Correlations between cells are left out.",
        "Independent normals have sds that are too small where neighbouring cells go together, and their draws are "
        "rougher than the field can be.",
        "Take low_rank or fcvb unless only the mean matters.");
  if (check.failures > 0)
    add(record, Level::warn, {Kind::solvability, {}, {{"failures", static_cast<double>(check.failures)}}},
        "The equation cannot be solved at some draws.",
        fmt::format("{} so extreme that exp(kappa) overflows or varies too much.",
                    how_many_are(check.failures, check.psis.num_draws())),
        "Take a narrower prior.");
}

void judge_choice(const AutoChoice& choice, result::MethodRecord& record) {
  const auto seconds = [](double time) {
    return time < 100 ? fmt::format("{:.2g} s", time) : fmt::format("{:.0f} min", time / 60);
  };
  const bool passed_over = !choice.normal_noise && choice.kind != AutoChoice::proven_fit;
  const std::string fitted =
      fmt::format("The fit was there after {}. ", seconds(choice.fit_seconds)) +
      (passed_over ? "Draws by optimisation were passed over, for they need noise that is normal. " : "");
  const std::string more = fmt::format("Allow more time than {} (--budget or method.budget).", seconds(choice.budget));
  Looked looked{Kind::choice,
                {},
                {{"budget_seconds", choice.budget},
                 {"fit_seconds", choice.fit_seconds},
                 {"chain_seconds", choice.chain_seconds},
                 {"draws", static_cast<double>(choice.draws)}}};
  const Correction& correction = choice.correction;
  if (correction.kind == Correction::randomized) {
    looked.numbers.emplace_back("khat", correction.khat);
    looked.numbers.emplace_back("effective_draws", correction.effective);
  }
  const auto [subject, made] = words_for(correction);
  const std::string plural = correction.kind == Correction::randomized ? " are " : " is ";
  switch (choice.kind) {
    case AutoChoice::proven_fit:
      return add_first(
          record, Level::good, looked, "The fit, corrected by its importance weights, is the answer.",
          fitted + fmt::format("The weights that make its draws exact have a thin tail, for every quantity, too. They "
                               "move means by at most {}, and change sds by at most {:.0f} %. All numbers are "
                               "of the corrected draws.",
                               amount(choice.change.shift, 2, "sd"), 100 * std::expm1(choice.change.log_ratio)));
    case AutoChoice::proven_draws:
      return add_first(record, Level::good, looked,
                       "Draws by optimisation, made exact by their weights, are the answer.",
                       fitted + "Its own weights do not prove it. " + made + "The weights have a thin tail.");
    case AutoChoice::no_time:
      return add_first(record, Level::warn, looked, subject + plural + "the answer, unchecked.",
                       fitted + made +
                           fmt::format("To check it by exact chains, their warm-up alone would take about {}.",
                                       seconds(choice.chain_seconds)),
                       more);
    case AutoChoice::unchecked_fit:
      return add_first(record, Level::warn, looked, subject + plural + "the answer, unchecked.",
                       fitted + made +
                           fmt::format("Exact chains had not come far enough after {} more to say anything.",
                                       seconds(choice.chain_seconds)),
                       more);
    case AutoChoice::chains:
      return add_first(record, Level::good, looked, "Exact chains are the answer.",
                       fitted +
                           fmt::format("It was checked by {} exact draws in {} more. ", choice.draws,
                                       seconds(choice.chain_seconds)) +
                           choice.comparison);
    case AutoChoice::short_chains:
      return add(
          record, Level::warn, looked, "Exact chains are the answer, but short ones.",
          fitted +
              fmt::format(
                  "It was checked by {} exact draws in {} more, which was all that there was time or memory for. ",
                  choice.draws, seconds(choice.chain_seconds)) +
              choice.comparison,
          more);
  }
}

void judge_chains(const diagnostics::ChainsVerdict& verdict, result::MethodRecord& record) {
  judge_end(record);
  const Looked looked{
      Kind::convergence,
      {},
      {{"rhat", verdict.rhat.value}, {"ess_bulk", verdict.ess_bulk.value}, {"ess_tail", verdict.ess_tail.value}}};
  if (verdict.is_good) {
    add(record, Level::good, looked, "The chains have converged.",
        fmt::format("R-hat is at most {} (below {}), and there are at least {:.0f} effective draws of the bulk and "
                    "{:.0f} of the tails of every unknown.",
                    told_apart(verdict.rhat.value, diagnostics::largest_good_rhat, 3).first,
                    diagnostics::largest_good_rhat, verdict.ess_bulk.value, verdict.ess_tail.value));
    return;
  }
  // Chains that disagree are wrong; chains that are short or diverge now and then are imprecise.
  const bool disagree = !(verdict.rhat.value <= diagnostics::largest_usable_rhat) || verdict.undetermined > 0;
  for (const std::string& sentence : verdict.sentences) {
    const auto [what, action] = split_sentence(sentence);
    add(record, disagree ? Level::bad : Level::warn, looked, headline(sentence), what,
        action.empty() ? "Run the chains longer." : action);
  }
}

void judge_predictions(const InverseProblem& problem, DataKind kind, Index failures, const result::Truth* truth,
                       result::MethodRecord& record) {
  if (failures > 0 && record.chains)
    add(record, Level::warn, {Kind::solvability, {}, {{"failures", static_cast<double>(failures)}}},
        "The equation cannot be solved at some draws.", how_many_are(failures, record.num_draws()) + " too extreme.",
        "Take a narrower prior.");
  if (record.chains) judge_quantity_chains(problem.record(), record);
  judge_quantity_weights(problem.record(), record);
  if (problem.observations()) {
    const auto judge = kind == DataKind::inferred_from ? judge_data : judge_new_data;
    judge(problem, record);
    judge_mesh(problem, truth, record);
  }
  judge_prior(problem.record(), record);
  if (truth) judge_truth(*truth, record);
  name_fixed_quantities(problem.record(), record);
}

}  // namespace varimesh::run
