#include "varimesh/run/method_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/error.h"
#include "varimesh/quote.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/parse_duration.h"
#include "varimesh/run/toml_reader.h"
#include "varimesh/suggest.h"

namespace varimesh::run {
namespace {

constexpr Index most_draws = 100'000'000, most_chains = 1000, most_iterations = 1'000'000'000, most_samples = 1'000'000;
constexpr Index most_neighbours = 1000, most_rank = 1000, most_components = 1000, deepest_tree = 20;

std::vector<std::string> known_methods() { return {std::begin(method_names), std::end(method_names)}; }

void read_count(const Setting& table, const char* key, Index smallest, Index largest, std::optional<Index>& value) {
  if (const auto setting = table.find(key)) value = setting->integer(smallest, largest);
}

void read_count(const Setting& table, const char* key, Index smallest, Index largest, Index& value) {
  if (const auto setting = table.find(key)) value = setting->integer(smallest, largest);
}

void read_positive(const Setting& table, const char* key, std::optional<double>& value) {
  if (const auto setting = table.find(key)) value = setting->positive_number();
}

FitConfig read_fit(const Setting& fit) {
  fit.allow({"optimizer", "tolerance", "samples", "max_iterations", "learning_rate", "neighbours", "rank", "pattern",
             "components", "first_derivatives_only"});
  FitConfig result;
  if (const auto optimizer = fit.find("optimizer")) {
    const bool adam = optimizer->choice({"natural_gradient", "adam"}) == "adam";
    result.optimizer = adam ? FitConfig::Optimizer::adam : FitConfig::Optimizer::natural_gradient;
  }
  read_positive(fit, "tolerance", result.tolerance);
  read_count(fit, "samples", 1, most_samples, result.samples);
  read_count(fit, "max_iterations", 1, most_iterations, result.max_iterations);
  if (const auto rate = fit.find("learning_rate")) result.learning_rate = rate->positive_number();
  read_count(fit, "neighbours", 0, most_neighbours, result.neighbours);
  read_count(fit, "rank", 0, most_rank, result.rank);
  if (const auto pattern = fit.find("pattern")) {
    if (pattern->choice({"graph", "band"}) == "band") result.pattern = FitConfig::Pattern::band;
  }
  read_count(fit, "components", 1, most_components, result.components);
  if (const auto only = fit.find("first_derivatives_only")) result.first_derivatives_only = only->boolean();
  return result;
}

ChainsConfig read_chains(const Setting& chains) {
  using Scale = ChainsConfig::Scale;
  chains.allow(
      {"chains", "draws", "thin", "warmup", "scale", "step", "target_acceptance", "leapfrog_steps", "max_depth"});
  ChainsConfig result;
  read_count(chains, "chains", 1, most_chains, result.chains);
  read_count(chains, "draws", 4, most_draws, result.draws);
  read_count(chains, "thin", 1, most_draws, result.thin);
  read_count(chains, "warmup", 0, most_draws, result.warmup);
  if (const auto scale = chains.find("scale")) {
    const std::vector<std::string> words = {"fit", "refined_fit", "diagonal", "dense", "sparse", "prior"};
    const std::string word = scale->choice(words);
    result.scale = static_cast<Scale>(std::find(words.begin(), words.end(), word) - words.begin());
  }
  read_positive(chains, "step", result.step);
  if (const auto acceptance = chains.find("target_acceptance")) {
    result.target_acceptance = acceptance->positive_number();
    if (*result.target_acceptance >= 1)
      acceptance->fail(fmt::format("expected a number between 0 and 1, found {}", *result.target_acceptance));
  }
  read_count(chains, "leapfrog_steps", 1, most_samples, result.leapfrog_steps);
  read_count(chains, "max_depth", 1, deepest_tree, result.max_depth);
  return result;
}

std::vector<Method> read_use(const Setting& use) {
  const auto read_one = [](const Setting& word) { return parse_method(word.choice(known_methods())); };
  if (!use.is_array()) return {read_one(use)};
  std::vector<Method> methods;
  for (const Setting& entry : use.elements(1, std::size(method_names))) {
    methods.push_back(read_one(entry));
    if (std::find(methods.begin(), methods.end() - 1, methods.back()) != methods.end() - 1)
      entry.fail(fmt::format("expected every method once, found '{}' twice", name(methods.back())));
  }
  return methods;
}

}  // namespace

Method parse_method(const std::string& word) {
  const auto* found = std::find(std::begin(method_names), std::end(method_names), word);
  if (found == std::end(method_names))
    throw InputError(fmt::format("unknown method {}, expected one of {}{}", quote(word), quote_list(known_methods()),
                                 suggestion(word, known_methods())));
  return static_cast<Method>(found - std::begin(method_names));
}

MethodConfig read_method(const Setting& method) {
  method.allow({"use", "seed", "budget", "draws", "sensitivity", "fit", "chains"});
  MethodConfig result;
  result.origin = method.origin();
  if (const auto use = method.find("use")) result.use = read_use(*use);
  if (const auto seed = method.find("seed")) result.seed = seed->seed();
  if (const auto budget = method.find("budget"))
    result.budget = budget->is_string() ? at(budget->origin(), [&] { return parse_duration(budget->string()); })
                                        : budget->positive_number();
  read_count(method, "draws", 2, most_draws, result.draws);
  if (const auto sensitivity = method.find("sensitivity")) result.sensitivity = sensitivity->boolean();
  if (const auto fit = method.find("fit")) result.fit = read_fit(*fit);
  if (const auto chains = method.find("chains")) result.chains = read_chains(*chains);
  return result;
}

}  // namespace varimesh::run
