// judge_prior of trust.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "varimesh/number_words.h"
#include "varimesh/run/add_finding.h"
#include "varimesh/run/trust.h"

namespace varimesh::run {
namespace {

using Level = result::TrustItem::Level;
using Kind = result::TrustItem::Kind;
using Alternative = result::PriorAlternative;
using Change = Alternative::Change;

// By truths drawn from the assumed prior and by an inclusion: docs/diagnostics.md.
constexpr double large_field_shift = 3;  // sds, of the unknown that moves most
constexpr double many_outside = 0.1;     // of the unknowns
constexpr double large_shift = 1.5;      // sds, of a quantity
constexpr double noticeable_nats = 3;    // odds of twenty to one
constexpr double own_error_bars = 2;     // sds under the other prior
constexpr double few_held = 0.8;         // of the unknowns, by intervals of 90 %
constexpr double decisive_nats = 10;     // more than Laplace's method is usually wrong by

/// "The data do not tell the two apart (-1.2 nats)."
std::string what_data_say(const Alternative& other) {
  if (std::abs(other.log_evidence) < noticeable_nats)
    return fmt::format("The data do not tell the two apart ({:+.1f} nats).", other.log_evidence);
  return fmt::format(
      "The data prefer {} by about {:.0f} nats{}.", other.log_evidence > 0 ? "that prior" : "the assumed one",
      std::abs(other.log_evidence),
      other.log_evidence < 0 && other.is_rougher() ? ", which cannot exclude a jump or an inclusion somewhere" : "");
}

/// Whether what becomes of something counts. Evidence speaks of the field as a whole, and dismisses no rougher prior
/// whose own error bars, wide as they are, exclude the answer: a jump or an inclusion somewhere weighs little in it.
bool counts(const Alternative& other, double shift_in_own_sds) {
  return other.log_evidence > -decisive_nats || (other.is_rougher() && shift_in_own_sds > own_error_bars);
}

bool counts(const Alternative& other) { return counts(other, other.own_shift); }

bool moves_field(const Alternative& other) {
  return other.field_shift > large_field_shift || other.outside > many_outside;
}

/// What the finding is called after.
const char* assumed(Change change) {
  switch (change) {
    case Change::shorter:
    case Change::rougher:
      return "smoothness";
    case Change::longer:
      return "length-scale";
    default:
      return "sd";
  }
}

/// The condition under which the answer holds.
const char* condition(Change change) {
  switch (change) {
    case Change::shorter:
    case Change::rougher:
      return "if the field is as smooth as assumed";
    case Change::longer:
      return "if the field varies over distances as short as assumed";
    case Change::wider:
      return "if the field varies no more than assumed";
    default:
      return "if the field varies as much as assumed";
  }
}

std::string describe_place(const result::ProblemRecord& problem, Index unknown) {
  if (unknown >= problem.num_field_unknowns()) return problem.name_of(unknown);
  const Point& x = problem.positions[static_cast<std::size_t>(unknown)];
  return fmt::format("({:.3g})", fmt::join(x.data(), x.data() + problem.mesh.dimension(), ", "));
}

/// The fitted alternative with the largest value, which may be NaN; null if there is none.
template <class Value>
const Alternative* most(const std::vector<Alternative>& alternatives, const Value& value) {
  const Alternative* found = nullptr;
  for (const Alternative& other : alternatives) {
    if (!other.is_fitted() || !std::isfinite(value(other))) continue;
    if (!found || value(other) > value(*found)) found = &other;
  }
  return found;
}

std::string describe_field(const result::ProblemRecord& problem, const Alternative& other) {
  return fmt::format(
      "With {}, the mean of the field moves by up to {} (at {}) and leaves its 90 % interval for {:.0f} % of "
      "the unknowns, and sds are {}; if that prior is right, the 90 % intervals hold {:.0f} % of the "
      "field. {}",
      other.name, amount(other.field_shift, 2, "sd"), describe_place(problem, other.unknown), 100 * other.outside,
      times_as(other.sd_ratio, 2, "large"), 100 * other.held, what_data_say(other));
}

std::string advice(const Alternative& other) {
  if (other.log_evidence > decisive_nats) return "Take that prior, which the data prefer.";
  if (other.is_rougher())
    return "If the field may have jumps, layers or inclusions, take the rougher prior, whose error bars allow for "
           "them; "
           "sensors where the field moves most would tell.";
  return "Choose the prior by what is known of the material; sensors where the field moves most would tell.";
}

/// " So it is with kernel matern12 (3.1 sds)." of all others that move the field, too.
std::string describe_others(const std::vector<Alternative>& alternatives, const Alternative& told) {
  std::vector<std::string> list;
  for (const Alternative& other : alternatives) {
    if (&other != &told && other.is_fitted() && counts(other) && moves_field(other))
      list.push_back(fmt::format("{} ({})", other.name, amount(other.field_shift, 2, "sd")));
  }
  return list.empty() ? "" : fmt::format(" So it is with {}.", fmt::join(list, ", "));
}

/// The rougher prior, else the wider one, that the data do not speak against, and under which the intervals would hold
/// the fewest unknowns, if these are few: then the field hardly moves, but its error bars are the assumption's. Null if
/// there is none.
const Alternative* unseen_by_data(const std::vector<Alternative>& alternatives) {
  const auto lost = [](const Alternative& a) {
    const bool possible = (a.is_rougher() || a.change == Change::wider) && a.log_evidence > -noticeable_nats;
    return possible && a.held < few_held ? 1 - a.held + (a.is_rougher() ? 1 : 0) : 0;
  };
  const Alternative* found = most(alternatives, lost);
  return found && lost(*found) > 0 ? found : nullptr;
}

std::vector<std::pair<std::string, double>> numbers_of(const Alternative& other) {
  return {{"largest_shift", other.field_shift},
          {"share_outside", other.outside},
          {"sd_ratio", other.sd_ratio},
          {"held", other.held},
          {"log_evidence", other.log_evidence}};
}

void judge_field(const result::ProblemRecord& problem, result::MethodRecord& record) {
  // Those that count come first, and of these such that move the field.
  const auto rank = [](const Alternative& a) { return a.field_shift + (counts(a) ? moves_field(a) ? 2e9 : 1e9 : 0); };
  const Alternative* other = most(record.prior_sensitivity.alternatives, rank);
  if (!other) return;
  const Looked looked{Kind::prior, {}, numbers_of(*other)};
  const std::string found = describe_field(problem, *other);
  const Alternative* unseen = unseen_by_data(record.prior_sensitivity.alternatives);
  if (unseen && !(counts(*other) && moves_field(*other)))
    add(record, Level::good, {Kind::prior, {}, numbers_of(*unseen)},
        fmt::format("The error bars hold {}.", condition(unseen->change)), describe_field(problem, *unseen));
  else if (!counts(*other))
    add(record, Level::good, looked, "The data speak against other priors.",
        "Of those that were tried, this one changes the field most. " + found);
  else if (!moves_field(*other))
    add(record, Level::good, looked, "Other priors lead to much the same field.",
        "Of those that the data allow, this one changes it most. " + found);
  else
    add(record, Level::warn, looked, fmt::format("The field rests on the assumed {}.", assumed(other->change)),
        fmt::format("{}{} The answer is valid only {}.", found,
                    describe_others(record.prior_sensitivity.alternatives, *other), condition(other->change)),
        advice(*other));
}

/// Only what is noticeable is said of quantities.
void judge_quantities(const result::ProblemRecord& problem, result::MethodRecord& record) {
  const result::PriorSensitivity& found = record.prior_sensitivity;
  for (std::size_t q = 0; q < problem.quantities.size(); ++q) {
    const auto at = static_cast<Eigen::Index>(q);
    const auto shift = [&](const Alternative& a) {
      const double own = std::abs(a.quantity_mean[at] - found.quantity_mean[at]) / a.quantity_sd[at];
      return counts(a, own) ? std::abs(a.quantity_shift[at]) : 0;
    };
    const Alternative* other = most(found.alternatives, shift);
    if (!other || !(shift(*other) > large_shift)) continue;
    const std::string& name = problem.quantities[q].name;
    add(record, Level::warn,
        {Kind::prior,
         name,
         {{"shift", other->quantity_shift[at]},
          {"held", other->quantity_held[at]},
          {"log_evidence", other->log_evidence}}},
        fmt::format("'{}' rests on the assumed {}.", name, assumed(other->change)),
        fmt::format("With {}, it is {} instead of {}, by the same kind of fit: it moves by "
                    "{:.2g} of its sds. {} It is valid only {}.",
                    other->name, with_error(other->quantity_mean[at], other->quantity_sd[at], 2),
                    with_error(found.quantity_mean[at], found.quantity_sd[at], 2), shift(*other), what_data_say(*other),
                    condition(other->change)),
        advice(*other));
  }
}

}  // namespace

void judge_prior(const result::ProblemRecord& problem, result::MethodRecord& record) {
  const result::PriorSensitivity& found = record.prior_sensitivity;
  if (found.is_known()) {
    judge_field(problem, record);
    judge_quantities(problem, record);
  } else if (!found.skipped.empty()) {
    add(record, Level::good, {Kind::prior}, "The answer was not compared with those of other priors.",
        "Other priors were left out: " + found.skipped + ".");
  }
}

}  // namespace varimesh::run
