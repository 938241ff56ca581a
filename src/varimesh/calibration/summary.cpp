#include "varimesh/calibration/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "varimesh/calibration/referee.h"
#include "varimesh/constants.h"
#include "varimesh/number_words.h"
#include "varimesh/random.h"

namespace varimesh::calibration {
namespace {

constexpr double confidence = 0.95;
constexpr std::size_t main_level = 1;  // 90 %
constexpr double far = 3;              // sds
constexpr double noticeable = 2;       // standard errors, of what is known to be off somehow

/// The mean with its standard error, NaN where it takes more values.
result::Estimate mean_of(const std::vector<double>& values) {
  const Eigen::Map<const Vector> all(values.data(), std::ssize(values));
  if (all.size() == 0) return {nan, nan};
  const auto count = static_cast<double>(all.size());
  const double mean = all.mean();
  return {mean, all.size() > 1 ? std::sqrt((all.array() - mean).square().sum() / (count - 1) / count) : nan};
}

double variance(const std::vector<double>& values) {
  const double error = mean_of(values).error;
  return error * error * static_cast<double>(values.size());
}

Coverage cover(Index inside, Index count) {
  if (count == 0) return {0, 0, nan, {nan, nan}};
  return {inside, count, static_cast<double>(inside) / count, clopper_pearson(inside, count, confidence)};
}

/// The scores of the answers of one method.
using Scores = std::vector<const MethodScore*>;

/// The referee's answers to the same truths; null where it cannot judge.
Scores referees(const std::vector<Repeat>& repeats, std::optional<std::size_t> referee, std::size_t method) {
  Scores result;
  for (const Repeat& repeat : repeats) {
    if (!repeat.methods[method].has_answer) continue;
    const MethodScore* found = referee && *referee != method ? &repeat.methods[*referee] : nullptr;
    result.push_back(found && can_judge(*found) ? found : nullptr);
  }
  return result;
}

QuantityCalibration summarize_quantity(const Scores& scores, std::size_t q, std::map<Index, RankTest>& tests,
                                       std::map<Index, RankBand>& bands) {
  QuantityCalibration result;
  std::vector<double> z, truths, variances, uniform;
  std::array<Index, levels.size()> inside{};
  Random jitter(1, q);
  for (const MethodScore* answer : scores) {
    const QuantityScore& score = answer->quantities[q];
    const double u = jitter.uniform();
    if (!std::isfinite(score.place)) continue;
    z.push_back(score.z());
    truths.push_back(score.truth);
    variances.push_back(score.sd * score.sd);
    for (std::size_t k = 0; k < levels.size(); ++k) inside[k] += score.covered(levels[k]) ? 1 : 0;
    if (!score.has_rank()) continue;
    // Ranks among any number of draws, spread evenly over the gaps between these; at the points that ranks among 99
    // draws can tell apart it does not matter where in its gap a number lies.
    uniform.push_back((score.rank + u) / (score.of + 1));
    result.ranks.push_back(score.rank);
    result.of.push_back(score.of);
  }
  result.count = static_cast<Index>(uniform.size());
  result.p_value = nan;
  if (result.count > 0) {
    const RankTest& test = tests.try_emplace(result.count, result.count, rank_points).first->second;
    if (!bands.contains(result.count)) bands[result.count] = test.band(confidence);
    const RankBand& band = bands[result.count];
    result.ecdf = test.counts(uniform);
    result.p_value = test.p_value(result.ecdf);
    result.inside_band = true;
    for (std::size_t j = 0; j < result.ecdf.size(); ++j)
      result.inside_band &= band.low[j] <= result.ecdf[j] && result.ecdf[j] <= band.high[j];
  }
  for (std::size_t k = 0; k < levels.size(); ++k) result.coverage[k] = cover(inside[k], static_cast<Index>(z.size()));
  result.z = mean_of(z);
  double squares = 0;
  for (const double value : z) squares += value * value;
  result.z_rms = z.empty() ? nan : std::sqrt(squares / static_cast<double>(z.size()));
  result.contraction = 1 - mean_of(variances).value / variance(truths);
  return result;
}

FieldCalibration summarize_field(const Scores& scores, Index unknowns) {
  FieldCalibration result;
  const auto over = [&](auto value) {
    std::vector<double> values;
    for (const MethodScore* answer : scores) values.push_back(value(answer->field));
    return mean_of(values);
  };
  for (std::size_t k = 0; k < levels.size(); ++k)
    result.coverage[k] = over([k](const FieldScore& field) { return field.coverage[k]; });
  result.z_rms = over([](const FieldScore& field) { return field.z_rms; });
  result.contraction = over([](const FieldScore& field) { return field.contraction; });
  constexpr std::size_t fewest = 20;  // for a normal distribution of the mean
  result.p_value = nan;
  if (scores.size() < fewest) return result;
  // Unknowns that go together make the share vary more than independent ones, never less.
  const double level = levels[main_level];
  const double least = std::sqrt(level * (1 - level) / unknowns / static_cast<double>(scores.size()));
  const auto& [mean, error] = result.coverage[main_level];
  result.p_value = std::erfc(std::abs(mean - level) / std::max(error, least) / std::numbers::sqrt2);
  return result;
}

TrustCalibration summarize_trust(const Scores& scores, const Scores& referees, result::TrustItem::Level level,
                                 std::size_t num_quantities) {
  TrustCalibration result;
  std::vector<Index> inside(num_quantities, 0), count(num_quantities, 0);
  Index near = 0, close = 0, judged = 0;
  for (std::size_t r = 0; r < scores.size(); ++r) {
    const MethodScore* answer = scores[r];
    if (answer->trust != level) continue;
    ++result.repeats;
    if (referees[r]) {
      ++judged;
      close += is_close(*answer, *referees[r]) ? 1 : 0;
    }
    bool all_near = true;
    for (std::size_t q = 0; q < num_quantities; ++q) {
      const QuantityScore& score = answer->quantities[q];
      if (!std::isfinite(score.place)) continue;
      ++count[q];
      inside[q] += score.covered(levels[main_level]) ? 1 : 0;
      all_near &= std::abs(score.z()) < far;
    }
    near += all_near ? 1 : 0;
  }
  for (std::size_t q = 0; q < num_quantities; ++q) result.covered.push_back(cover(inside[q], count[q]));
  result.all_near = cover(near, result.repeats);
  result.close = cover(close, judged);
  return result;
}

/// In which way a method is off, by its most telling number.
std::string explain(const MethodCalibration& method, const std::vector<TrackedQuantity>& quantities) {
  double smallest = method.field.p_value;
  std::size_t worst = quantities.size();  // the field
  for (std::size_t q = 0; q < quantities.size(); ++q) {
    const double p = method.quantities[q].p_value;
    if (!std::isfinite(smallest) || p < smallest) {
      smallest = p;
      worst = q;
    }
  }
  const double level = levels[main_level];
  if (worst == quantities.size()) {
    const auto& [mean, error] = method.field.coverage[main_level];
    return fmt::format("its intervals are too {}: those of 90 % cover {:.0f} % of the field",
                       mean < level ? "narrow" : "wide", 100 * mean);
  }
  const QuantityCalibration& found = method.quantities[worst];
  const Coverage& coverage = found.coverage[main_level];
  const std::string& name = quantities[worst].name;
  const double shift = found.z.value / found.z.error;
  if (std::abs(shift) > noticeable && std::abs(found.z.value) > std::abs(found.z_rms - 1))
    return fmt::format("{} is too {} by {} on average", name, shift > 0 ? "low" : "high",
                       amount(std::abs(found.z.value), 2, "sd"));
  if (coverage.interval.high < level || coverage.interval.low > level)
    return fmt::format("its intervals are too {}: those of 90 % cover {} in {:.0f} % of the repeats",
                       coverage.share < level ? "narrow" : "wide", name, 100 * coverage.share);
  return fmt::format("the ranks of {} are uneven", name);
}

void judge(MethodCalibration& method, const std::vector<TrackedQuantity>& quantities) {
  std::vector<double> p_values = {method.field.p_value};
  for (const QuantityCalibration& quantity : method.quantities) p_values.push_back(quantity.p_value);
  std::erase_if(p_values, [](double p) { return !std::isfinite(p); });
  method.p_value = nan;
  if (p_values.empty() || method.answers < fewest_answers) {
    method.why =
        counted(method.answers, "answer") + (method.answers == 1 ? " is too few to tell" : " are too few to tell");
    return;
  }
  // One of m tests is below alpha / m with probability alpha at most (Bonferroni).
  method.p_value = std::min(1.0, static_cast<double>(p_values.size()) * *std::ranges::min_element(p_values));
  method.verdict = method.p_value < 1 - confidence ? Verdict::miscalibrated : Verdict::calibrated;
  if (method.verdict == Verdict::miscalibrated) method.why = explain(method, quantities);
}

void summarize_seconds(const Scores& scores, MethodCalibration& method) {
  std::vector<double> seconds;
  for (const MethodScore* score : scores) seconds.push_back(score->seconds);
  method.seconds_mean = mean_of(seconds).value;
  method.seconds_median = method.seconds_most = nan;
  if (seconds.empty()) return;
  std::ranges::sort(seconds);
  method.seconds_median = seconds[seconds.size() / 2];
  method.seconds_most = seconds.back();
}

/// "A", "A and B", "A, B and C".
std::string enumerate(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 < names.size() ? ", " : " and ") + names[k];
  return text;
}

}  // namespace

Calibration summarize(const std::vector<TrackedQuantity>& quantities, const std::vector<std::string>& method_names,
                      Index unknowns, const std::vector<Repeat>& repeats) {
  Calibration result;
  result.quantities = quantities;
  result.repeats = static_cast<Index>(repeats.size());
  const std::optional<std::size_t> referee = find_referee(repeats);
  if (referee) result.referee = method_names[*referee];
  std::map<Index, RankTest> tests;
  for (std::size_t m = 0; m < method_names.size(); ++m) {
    MethodCalibration method;
    method.name = method_names[m];
    Scores scores;
    for (const Repeat& repeat : repeats) {
      method.method = repeat.methods[m].method;
      if (repeat.methods[m].has_answer) scores.push_back(&repeat.methods[m]);
    }
    method.answers = static_cast<Index>(scores.size());
    method.failures = result.repeats - method.answers;
    for (std::size_t q = 0; q < quantities.size(); ++q)
      method.quantities.push_back(summarize_quantity(scores, q, tests, result.bands));
    method.field = summarize_field(scores, unknowns);
    for (std::size_t level = 0; level < method.trust.size(); ++level)
      method.trust[level] = summarize_trust(scores, referees(repeats, referee, m),
                                            static_cast<result::TrustItem::Level>(level), quantities.size());
    summarize_seconds(scores, method);
    judge(method, quantities);
    result.methods.push_back(std::move(method));
  }
  return result;
}

std::string conclude(const Calibration& calibration) {
  std::vector<std::string> good, clauses;
  for (const MethodCalibration& method : calibration.methods) {
    if (method.verdict == Verdict::calibrated) good.push_back(method.name);
    if (method.verdict == Verdict::miscalibrated)
      clauses.push_back(fmt::format("{} is not calibrated ({})", method.name, method.why));
    if (method.verdict == Verdict::undetermined)
      clauses.push_back(fmt::format("whether {} is calibrated is not known ({})", method.name, method.why));
    if (method.failures > 0)
      clauses.push_back(fmt::format("{} has no answer in {} of {}", method.name, method.failures,
                                    counted(calibration.repeats, "repeat")));
  }
  if (!good.empty())
    clauses.insert(clauses.begin(), fmt::format("{} {} calibrated as far as {} repeats can tell", enumerate(good),
                                                good.size() == 1 ? "is" : "are", calibration.repeats));
  std::string sentence = "On this problem ";
  for (std::size_t k = 0; k < clauses.size(); ++k) sentence += (k == 0 ? "" : "; ") + clauses[k];
  return sentence + ".";
}

}  // namespace varimesh::calibration
