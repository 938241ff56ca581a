#include "varimesh/run/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/error.h"
#include "varimesh/quote.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/measurements.h"
#include "varimesh/run/snap_sensors.h"

namespace varimesh::run {
namespace {

/// What is known before: a normal distribution of kappa.
struct Knowledge {
  std::shared_ptr<const gaussian::Gaussian> q;
  std::string words;
};

Knowledge know(const Config& config, const Problem& problem, const DesignOptions& options) {
  if (options.from_prior || !problem.observations) {
    const auto prior = std::dynamic_pointer_cast<const inverse::GaussianPrior>(build_prior(config, problem));
    if (!prior) throw InputError(config.file.string() + ": expected a table [prior] with a normal prior to design for");
    return {{prior, &prior->gaussian()}, "the prior, linearised at its mean"};
  }
  const inverse::Posterior posterior = build_posterior(config, problem);
  variational::FitOptions settings =
      fit_options(config.method, ConfiguredProblem(config, problem), posterior, Method::automatic, options.threads);
  settings.elbo_samples = 4;  // it does not matter here
  variational::FitResult fit = variational::fit(posterior, settings);
  auto q = variational::shared_gaussian(std::move(fit.q));
  if (!q) throw InputError(config.file.string() + ": no fit to the data to begin with: " + fit.message);
  return {std::move(q),
          fmt::format("a fit to the data of {} sensors, linearised at its mean", problem.sensors->size())};
}

Vector noise_of(const Config& config, const Problem& problem, const Sensors& candidates) {
  if (candidates.sigma.size() > 0) return candidates.sigma;
  if (config.noise().sigma) return Vector::Constant(candidates.size(), *config.noise().sigma);
  if (problem.noise && problem.noise->sigma.size() > 0)
    return Vector::Constant(candidates.size(), problem.noise->sigma.mean());
  throw InputError("expected a column 'sigma' of the candidates, or the key observations.sigma, found neither");
}

const Quantity& find_quantity(const Problem& problem, const std::string& name) {
  std::vector<std::string> names;
  for (const Quantity& quantity : problem.quantities) {
    if (quantity.name == name) return quantity;
    names.push_back(quantity.name);
  }
  throw InputError(names.empty()
                       ? fmt::format("--quantity: the problem has no quantities, found {}", quote(name))
                       : fmt::format("--quantity: expected one of {}, found {}", quote_list(names), quote(name)));
}

}  // namespace

Design choose_sensors(const Config& config, const Problem& problem, const io::CsvTable& table,
                      const DesignOptions& options) {
  constexpr double most_numbers = 5e8;  // 4 GB
  Design design;
  design.candidates = read_sensors(table, problem.equation.mesh);
  snap_sensors(problem.equation.mesh, config.observations ? config.observations->snap : std::nullopt,
               design.candidates);
  design.sigma = noise_of(config, problem, design.candidates);
  const double numbers = static_cast<double>(design.candidates.size()) * problem.num_unknowns();
  if (numbers > most_numbers)
    throw InputError(fmt::format("{}: {} candidates of {} unknowns do not fit into memory, expected at most {}",
                                 table.source, design.candidates.size(), problem.num_unknowns(),
                                 static_cast<Index>(most_numbers / problem.num_unknowns())));
  const Knowledge known = know(config, problem, options);
  design.basis = known.words;
  // A = R' J' / sigma: kappa = mean + R z, y = J R z + noise
  const auto model = build_model(design.candidates, problem.equation);
  const auto linearization = model->linearize(known.q->mean());
  if (!linearization->prediction().allFinite())
    throw InputError(config.file.string() + ": the equation cannot be solved at the mean of what is known");
  Matrix a = linearization->jacobian().transpose();
  a = a * design.sigma.cwiseInverse().asDiagonal();
  known.q->multiply_root_transposed(a);
  Matrix b(0, 0);
  if (!options.quantity.empty()) {
    const Quantity& quantity = find_quantity(problem, options.quantity);
    Vector gradient;
    design.quantity_mean = quantity.value_and_gradient(problem.equation.problem->solve(known.q->mean()), gradient);
    if (!gradient.allFinite() || !std::isfinite(design.quantity_mean))
      throw InputError(
          fmt::format("--quantity: {} is undefined at the mean of what is known", quote(options.quantity)));
    b = gradient;
    known.q->multiply_root_transposed(b);
  }
  design.sensors = variational::choose_greedily(a, b.reshaped(), options.choose);
  return design;
}

std::string format_design(const Design& design, int dimension) {
  auto [names, values] = position_columns(design.candidates, design.candidates.size(), dimension);
  const auto count = static_cast<std::size_t>(design.candidates.size());
  std::vector<double> rank(count, 0), gain(count, 0);
  for (std::size_t k = 0; k < design.sensors.chosen.size(); ++k) {
    const auto c = static_cast<std::size_t>(design.sensors.chosen[k]);
    rank[c] = static_cast<double>(k + 1);
    gain[c] = design.sensors.gains[static_cast<Eigen::Index>(k)];
  }
  names.insert(names.end(), {"sigma", "rank", "gain", "gain_alone"});
  values.emplace_back(design.sigma.begin(), design.sigma.end());
  values.push_back(std::move(rank));
  values.push_back(std::move(gain));
  values.emplace_back(design.sensors.alone.begin(), design.sensors.alone.end());
  const std::vector<std::string>& labels = design.candidates.labels;
  return io::format_csv(labels.empty() ? "" : "label", labels, names, values);
}

}  // namespace varimesh::run
