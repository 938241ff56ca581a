// judge_data and judge_new_data of trust.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/diagnostics/leave_one_out.h"
#include "varimesh/inverse/information_root.h"
#include "varimesh/number_words.h"
#include "varimesh/quote.h"
#include "varimesh/run/add_finding.h"
#include "varimesh/run/trust.h"
#include "varimesh/special_functions.h"

namespace varimesh::run {
namespace {

using Level = result::TrustItem::Level;
using Kind = result::TrustItem::Kind;

constexpr double rare = 3.09;  // sds of a normal distribution, exceeded on one side once in 1,000 cases
constexpr std::size_t most_named = 5;

/// Of each sensor, given what the others measured.
Vector standard_errors(const InverseProblem& problem) {
  const inverse::Observations& data = *problem.observations();
  return data.noise ? data.noise->standard_error() : data.standard_error();
}

void cannot_judge(result::MethodRecord& record) {
  add(record, Level::bad, {Kind::data_fit}, "The fit to the data cannot be judged.",
      "Predictions are not finite at some sensors.",
      "Check the problem with 'varimesh check', and kappa.csv for extreme values.");
}

/// Beyond this, chance brings the residual of one of so many sensors with this probability.
double residual_limit(Index sensors, double probability) { return -normal_quantile(0.5 * probability / sensors); }

/// How many of the sensors with the largest residuals are beyond what chance gives one of them once in 100 data sets.
std::size_t count_outliers(const result::LeaveOneOut& found, const std::vector<Index>& order) {
  const double limit = residual_limit(found.size(), 0.01);
  const auto end = std::ranges::find_if(order, [&](Index i) { return !(std::abs(found.residual[i]) > limit); });
  return static_cast<std::size_t>(end - order.begin());
}

/// The misfit of the sensors from the given rank on.
diagnostics::Misfit misfit_from(std::size_t rank, const result::LeaveOneOut& found, const std::vector<Index>& order,
                                const Vector& standard_error) {
  const std::vector<Index> others(order.begin() + static_cast<std::ptrdiff_t>(rank), order.end());
  result::LeaveOneOut rest;
  rest.sd = found.sd(others);
  rest.residual = found.residual(others);
  return diagnostics::misfit(rest, standard_error(others));
}

const result::SensorInfluence* influence_of(const result::LeaveOneOut& found, Index sensor) {
  const auto place = std::ranges::find(found.worst, sensor, &result::SensorInfluence::sensor);
  return place == found.worst.end() ? nullptr : &*place;
}

/// "sensor 7 at (0.2, 0.4): 6.1 sds too high; without it the field moves by up to 1.2 sds, 'outflow' by 0.3"
std::string describe_outlier(const InverseProblem& problem, const result::LeaveOneOut& found, Index sensor) {
  const double residual = found.residual[sensor];
  std::string text = fmt::format("{}: {:.1f} sds too {}",
                                 describe_sensor(problem.record().sensors, problem.record().mesh.dimension(), sensor),
                                 std::abs(residual), residual > 0 ? "high" : "low");
  const result::SensorInfluence* influence = influence_of(found, sensor);
  if (!influence || !std::isfinite(influence->field)) return text;
  text += "; without it the field moves by up to " + amount(influence->field, 2, "sd");
  for (std::size_t q = 0; q < problem.record().quantities.size(); ++q) {
    const double shift = influence->quantities[static_cast<Eigen::Index>(q)];
    if (std::isfinite(shift))
      text += fmt::format(", '{}' by {:.2g}", problem.record().quantities[q].name, std::abs(shift));
  }
  return text;
}

std::string describe_outliers(const InverseProblem& problem, const result::LeaveOneOut& found,
                              const std::vector<Index>& order, std::size_t count) {
  std::vector<std::string> list;
  for (std::size_t k = 0; k < std::min(count, most_named); ++k)
    list.push_back(describe_outlier(problem, found, order[k]));
  std::string text = fmt::format("{}", fmt::join(list, ". Then "));
  if (count > most_named) text += fmt::format(". Then {} more", count - most_named);
  return text;
}

/// Whether an outlier decides what the answer is, and chance brings one as far off once in 1,000 data sets at most.
bool is_decisive(const result::LeaveOneOut& found, const std::vector<Index>& order, std::size_t outliers) {
  const double limit = residual_limit(found.size(), 0.001);
  return std::any_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(outliers), [&](Index i) {
    if (!(std::abs(found.residual[i]) > limit)) return false;
    const result::SensorInfluence* influence = influence_of(found, i);
    return influence && (influence->field > 1 || (influence->quantities.array().abs() > 1).any());
  });
}

/// How sensors were left out where weights did not do.
std::string describe_doubts(const result::LeaveOneOut& found) {
  const auto linear = found.khat.array().isNaN().count();
  const auto unreliable = (found.khat.array() > result::largest_usable_khat).count();
  std::string text;
  if (linear == found.khat.size())
    text +=
        " Sensors were left out in a linearised model, for the method's draws are no "
        "draws of the posterior.";
  else if (linear > 0)
    text += fmt::format(" {} left out in the linearised model.",
                        linear == 1 ? "One sensor was" : fmt::format("{} sensors were", linear));
  if (unreliable > 0)
    text += fmt::format(" {} cannot be left out reliably (k-hat above {}).", counted(unreliable, "sensor"),
                        result::largest_usable_khat);
  return text;
}

/// Residuals of data that were not inferred from, in standard errors, and their variances.
struct NewResiduals {
  Vector residual, variance;
};
NewResiduals new_residuals(const inverse::Observations& data, const result::MethodRecord& record) {
  const Vector& mean = record.predicted.mean;
  // Variance 1 + h, h = sd^2 / standard error^2.
  if (!data.noise)
    return {(data.mean - mean).cwiseProduct(data.weight.cwiseSqrt()),
            1 + record.predicted.sd.array().square() * data.weight.array()};
  const Matrix& draws = record.predicted_draws;
  if (data.has_normal_noise()) {
    // A (y - G), which the noise makes standard normal
    Vector residual = data.mean - mean;
    Matrix deviation = draws.colwise() - mean;
    const inverse::InformationRoot root(data);
    root.multiply(mean, residual);
    root.multiply(mean, deviation);
    // The model fails at some draws.
    double count = 0;
    Vector variance = Vector::Zero(data.size());
    for (const Vector column : deviation.colwise()) {
      if (!column.allFinite()) continue;
      ++count;
      variance += column.cwiseAbs2();
    }
    return {residual, 1 + variance.array() / count};
  }
  const Vector equal = Vector::Constant(draws.cols(), -std::log(static_cast<double>(draws.cols())));
  Vector residual(data.size());
  for (Index i = 0; i < data.size(); ++i)
    residual[i] = diagnostics::predictive_score(*data.noise, i, draws.row(i), equal);
  return {residual, Vector::Ones(data.size())};
}

}  // namespace

std::string describe_sensor(const result::SensorRecord& sensors, int dimension, Index sensor) {
  const std::string label = sensors.label(sensor), kind = sensors.kind(sensor);
  const std::string name = fmt::format("sensor {}{}", sensor, label.empty() ? "" : fmt::format(" ({})", quote(label)));
  if (!kind.empty()) return fmt::format("{}, {}", name, kind);
  const Point& x = sensors.points[static_cast<std::size_t>(sensor)];
  return fmt::format("{} at ({:.4g})", name, fmt::join(x.data(), x.data() + dimension, ", "));
}

void judge_data(const InverseProblem& problem, result::MethodRecord& record) {
  const result::LeaveOneOut& found = record.leave_one_out;
  const bool interrupted = std::ranges::any_of(
      record.trust, [](const result::TrustItem& item) { return item.kind == Kind::end && item.level == Level::bad; });
  if (!found.is_known() && interrupted)
    return add(record, Level::bad, {Kind::data_fit}, "The fit to the data was not judged.",
               "The method was interrupted before.", "Go on with the option --resume.");
  if (!found.is_known() && !problem.observations()->has_normal_noise() && record.predicted.mean.allFinite())
    return add(record, Level::warn, {Kind::data_fit}, "The fit to the data was not judged.",
               "Noise that is not normal is judged by draws of the posterior, which those of this method are not.",
               "Use the method 'auto' or 'nuts'.");
  if (!found.is_known() || !found.residual.allFinite()) return cannot_judge(record);
  const Vector standard_error = standard_errors(problem);
  const std::vector<Index> order = found.by_residual();
  const std::size_t outliers = count_outliers(found, order);
  const diagnostics::Misfit all = diagnostics::misfit(found, standard_error);
  const diagnostics::Misfit rest =
      outliers < order.size() ? misfit_from(outliers, found, order, standard_error) : diagnostics::Misfit{};
  const std::string sums = fmt::format(
      "The squared residuals of {}, in standard errors, sum to {:.3g} where {:.3g} is expected ({:.2f} times as much).",
      counted(found.size(), "sensor"), all.sum, all.freedom, all.sum / all.freedom);
  const std::string doubts = describe_doubts(found);
  const auto looked = [&](Kind kind) {
    return Looked{kind,
                  {},
                  {{"sum_of_squares", all.sum},
                   {"expected", all.freedom},
                   {"sds", all.sds},
                   {"outliers", static_cast<double>(outliers)},
                   {"sensor", static_cast<double>(order.front())},
                   {"largest", std::abs(found.residual[order.front()])}}};
  };
  const std::string furthest =
      fmt::format(" The furthest from what all others predict is {}.", describe_outlier(problem, found, order.front()));
  if (outliers > 0 && !(rest.sds > rare)) {
    add(record, is_decisive(found, order, outliers) ? Level::bad : Level::warn, looked(Kind::sensors),
        outliers == 1 ? fmt::format("Sensor {} contradicts the others.", order.front())
                      : fmt::format("{} sensors contradict the others.", outliers),
        fmt::format("Compared with what all others predict, {}. {}{}",
                    describe_outliers(problem, found, order, outliers), sums, doubts),
        "Look at the first one first, for a wrong sensor makes its neighbours look wrong: its position, unit and "
        "reading. Leave its rows out of the data, or give it a larger sigma." +
            std::string(
                problem.observations()->has_normal_noise()
                    ? " Where nothing is found to be wrong, or several are like this, the noise has heavier "
                      "tails than a normal distribution: observations.noise = { kind = \"student\" } allows for "
                      "outliers."
                    : ""));
  } else if (all.freedom < 1 && outliers == 0) {
    add(record, Level::good, looked(Kind::data_fit), "The data are followed closely.",
        "Each sensor is met by the part of the field around it, so that the fit to the data says nothing about the "
        "model.");
  } else if (outliers > 0 || all.sds > rare) {
    add(record, Level::bad, looked(Kind::data_fit), "The data are not explained.", sums + furthest + doubts,
        "Check sigma (too small?), outliers among the sensors, boundary conditions, the source and units; a prior with "
        "a shorter length-scale or larger sigma allows more variation.");
  } else if (all.sds < -rare) {
    add(record, Level::warn, looked(Kind::data_fit), "The data are explained better than their noise allows.",
        sums + furthest + doubts, "Is sigma larger than the real noise, or are rows repeated that are no replicates?");
  } else {
    add(record, Level::good, looked(Kind::data_fit), "The data are explained.", sums + furthest + doubts);
  }
}

void judge_new_data(const InverseProblem& problem, result::MethodRecord& record) {
  const inverse::Observations& data = *problem.observations();
  const auto [residual, expected] = new_residuals(data, record);
  if (!residual.allFinite() || !expected.allFinite()) return cannot_judge(record);
  const double sum = expected.sum(), ratio = residual.squaredNorm() / sum;
  const double spread = std::sqrt(2 * expected.squaredNorm()) / sum;
  Eigen::Index worst = 0;
  const double largest = residual.cwiseAbs().cwiseQuotient(expected.cwiseSqrt()).maxCoeff(&worst);
  const std::string found = fmt::format(
      "The squared residuals of {}, in standard errors, sum to {:.3g} where {:.3g} is expected ({:.2f} times as much); "
      "the largest is {:.1f} sds at {}.",
      counted(residual.size(), "sensor"), residual.squaredNorm(), sum, ratio, largest,
      describe_sensor(problem.record().sensors, problem.record().mesh.dimension(), static_cast<Index>(worst)));
  const Looked looked{Kind::data_fit,
                      {},
                      {{"sum_of_squares", residual.squaredNorm()},
                       {"expected", sum},
                       {"largest", largest},
                       {"sensor", static_cast<double>(worst)}}};
  if (ratio > 1 + 3 * spread || largest > 5)
    add(record, Level::warn, looked, "The new data are not predicted.", found,
        "Check sigma (too small?), outliers among the sensors, boundary conditions, the source and units; a prior with "
        "a shorter length-scale or larger sigma allows more variation.");
  else
    add(record, Level::good, looked, "The new data are predicted.", found);
}

}  // namespace varimesh::run
