#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/run/origin.h"
#include "varimesh/types.h"

namespace varimesh::run {

class Setting;

/// The ways to infer, as the problem file and the command line call them.
enum class Method { automatic, low_rank, fcvb, pmvb, mfvb, laplace, mixture, nuts, hmc, pcn };
constexpr std::string_view method_names[] = {"auto",    "low_rank", "fcvb", "pmvb", "mfvb",
                                             "laplace", "mixture",  "nuts", "hmc",  "pcn"};
constexpr std::string_view name(Method method) { return method_names[static_cast<std::size_t>(method)]; }
constexpr bool samples_chains(Method method) { return method >= Method::nuts; }

/// The method of that name; an InputError lists the names there are.
Method parse_method(const std::string& word);

/// How distributions are fitted.
struct FitConfig {
  enum class Optimizer { natural_gradient, adam };
  std::optional<Optimizer> optimizer;   ///< natural gradient unless given, where there is one
  std::optional<double> tolerance;      ///< nats; the optimiser's own unless given
  std::optional<Index> samples;         ///< draws of q in an iteration; the optimiser's own unless given
  std::optional<Index> max_iterations;  ///< the optimiser's own unless given
  double learning_rate = 0.01;          ///< of Adam
  std::optional<Index> neighbours;      ///< pmvb: unknowns so many steps apart are coupled
  Index rank = 0;                       ///< pmvb: of a part of low rank beside the sparse one
  enum class Pattern { graph, band } pattern = Pattern::graph;
  Index components = 2;  ///< of a mixture
  bool first_derivatives_only = false;
};

/// How chains run.
struct ChainsConfig {
  Index chains = 4, draws = 1000, thin = 1;
  std::optional<Index> warmup;
  /// What steps are scaled by: a fit, a fit that is improved in the warm-up, something learnt in the warm-up, or, for
  /// pCN, the prior.
  enum class Scale { fit, refined_fit, diagonal, dense, sparse, prior };
  std::optional<Scale> scale;  ///< a fit unless given, where there can be one
  std::optional<double> step, target_acceptance;
  std::optional<Index> leapfrog_steps, max_depth;
};

/// The table [method].
struct MethodConfig {
  Origin origin;
  std::vector<Method> use;  ///< empty: auto
  std::uint64_t seed = 1;
  double budget = 120;              ///< seconds that auto may take, once its fit is there
  std::optional<Index> draws;       ///< kept of a fitted distribution; fewer of large problems unless given
  std::optional<bool> sensitivity;  ///< to the prior; looked at where that is quick unless given
  FitConfig fit;
  ChainsConfig chains;
};

MethodConfig read_method(const Setting& method);

}  // namespace varimesh::run
