#include "varimesh/paper/repetition.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace varimesh::paper {
namespace {

using Json = nlohmann::ordered_json;

/// The numbers of a repetition by their names in files.
constexpr std::pair<const char*, double Repetition::*> fields[] = {{"kappa_error", &Repetition::kappa_error},
                                                                   {"u_error", &Repetition::u_error},
                                                                   {"coverage", &Repetition::coverage},
                                                                   {"flux_mean", &Repetition::flux_mean},
                                                                   {"flux_sd", &Repetition::flux_sd},
                                                                   {"largest_shift", &Repetition::largest_shift},
                                                                   {"least_ratio", &Repetition::least_ratio},
                                                                   {"median_ratio", &Repetition::median_ratio},
                                                                   {"largest_ratio", &Repetition::largest_ratio},
                                                                   {"rhat", &Repetition::rhat},
                                                                   {"ess", &Repetition::ess},
                                                                   {"elbo", &Repetition::elbo},
                                                                   {"khat", &Repetition::khat},
                                                                   {"seconds", &Repetition::seconds}};

std::vector<double> to_std(const Vector& values) { return {values.begin(), values.end()}; }

}  // namespace

Repetition summarize(const result::ProblemRecord& problem, const result::MethodRecord& method,
                     const result::MethodRecord& referee) {
  Repetition numbers;
  numbers.method = method.method;
  numbers.kappa_error = method.kappa_error->value;
  numbers.u_error = method.u_error->value;
  const Vector z = (problem.truth->kappa - method.kappa.mean).cwiseQuotient(method.kappa.sd);
  numbers.coverage = static_cast<double>((z.array().abs() <= 2).count()) / static_cast<double>(z.size());
  if (!method.quantities.empty()) {
    numbers.flux_mean = method.quantities.front().mean;
    numbers.flux_sd = method.quantities.front().sd;
  }
  const Vector shift = (method.kappa.mean - referee.kappa.mean).cwiseQuotient(referee.kappa.sd);
  const Vector ratio = method.kappa.sd.cwiseQuotient(referee.kappa.sd);
  numbers.largest_shift = shift.cwiseAbs().maxCoeff();
  numbers.least_ratio = ratio.minCoeff();
  numbers.median_ratio = quantile(to_std(ratio), 0.5);
  numbers.largest_ratio = ratio.maxCoeff();
  if (method.chains) {
    numbers.rhat = method.chains->rhat;
    numbers.ess = std::min(method.chains->ess_bulk, method.chains->ess_tail);
  }
  if (method.elbo) numbers.elbo = method.elbo->value;
  if (method.khat) numbers.khat = method.khat->value;
  numbers.seconds = method.seconds;
  return numbers;
}

std::string format_repetitions(const std::string& key, const std::vector<Repetition>& repetitions) {
  Json methods = Json::array();
  for (const Repetition& repetition : repetitions) {
    Json object = {{"method", repetition.method}};
    for (const auto& [name, field] : fields) object[name] = repetition.*field;
    methods.push_back(std::move(object));
  }
  return Json{{"key", key}, {"methods", std::move(methods)}}.dump(1) + "\n";
}

std::vector<Repetition> parse_repetitions(const std::string& text, const std::string& key) {
  std::vector<Repetition> repetitions;
  try {
    const Json file = Json::parse(text);
    if (file.at("key") != key) return {};
    for (const Json& object : file.at("methods")) {
      Repetition repetition;
      repetition.method = object.at("method");
      for (const auto& [name, field] : fields) {
        const Json& number = object.at(name);
        repetition.*field = number.is_null() ? std::nan("") : number.get<double>();
      }
      repetitions.push_back(repetition);
    }
  } catch (const Json::exception&) {
    return {};  // a damaged file is made anew
  }
  return repetitions;
}

double quantile(std::vector<double> values, double level) {
  std::sort(values.begin(), values.end());
  const double place = level * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace varimesh::paper
