#include "varimesh/paper/bimodal_record.h"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "varimesh/checksum.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/paper/files.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/predictions.h"
#include "varimesh/version.h"

namespace varimesh::paper {
namespace {

constexpr Index cells = 32;

/// Of all that was recorded of (kappa, log u_R) what is about kappa.
void keep_kappa(result::MethodRecord& record) {
  for (Vector* values : {&record.kappa.mean, &record.kappa.sd, &record.kappa.q05, &record.kappa.q50, &record.kappa.q95})
    values->conservativeResize(1);
  for (auto& component : record.components)
    component = std::make_shared<gaussian::DiagonalGaussian>(component->mean().head(1),
                                                             component->variance().head(1).cwiseSqrt());
  Matrix kept(result::record_length(1), record.num_draws());
  kept.row(0) = record.draws.chain(0).row(0);
  for (Index k = 0; k < result::num_statistics; ++k)
    kept.row(1 + k) = record.draws.statistic(static_cast<result::Statistic>(k)).transpose();
  record.draws = {1, {std::make_shared<result::MemoryDraws>(std::vector(kept.data(), kept.data() + kept.size()))}};
}

}  // namespace

result::ProblemRecord record_bimodal_problem(const BimodalConfig& config) {
  result::ProblemRecord record;
  record.labels.title = "Bimodal 1D";
  record.words = {
      fmt::format("-exp(kappa) u'' = {:g}; u = 0 on left, u = u_R on right, unknown.", config.source),
      fmt::format("{} cells; one unknown kappa for all of them.", cells),
      fmt::format("u at x = {:g}, {} measurements.", config.sensor, config.measurements.size()),
      fmt::format("Of kappa and log u_R: two normal distributions of equal weight, variance {:g}.",
                  config.prior_variance),
      fmt::format("Independent and normal with standard deviation {:g} for each measurement.", config.sigma),
      ""};
  const std::string_view file = bimodal_problem();
  record.fingerprint = fmt::format("{:016x}", checksum(std::as_bytes(std::span(file))));
  record.mesh = mesh::create_interval(cells);
  record.unknown_of_cell.assign(cells, 0);
  record.positions = {Point(0.5, 0, 0)};
  record.sensors = {{Point(config.sensor, 0, 0)},
                    Vector::Constant(1, config.measurements.mean()),
                    Vector::Constant(1, config.sigma),
                    Vector::Constant(1, static_cast<double>(config.measurements.size()))};
  record.quantities = {{"log_u_R", "log u_R"}};
  return record;
}

result::MethodRecord record_bimodal_fit(const BimodalConfig& config, const inverse::Posterior& posterior,
                                        const BimodalName& name, const variational::FitResult& fit, double seconds) {
  result::MethodRecord record;
  record.method = name.word;
  record.name = name.title;
  record.description = name.description;
  record.version = version();
  record.seed = config.adam.seed;
  record.settings = {{"fit.optimizer", std::string("adam")},
                     {"fit.samples", static_cast<double>(config.adam.samples)},
                     {"fit.learning_rate", config.adam.learning_rate},
                     {"fit.tolerance", config.adam.tolerance},
                     {"draws", static_cast<double>(config.draws)}};
  run::record_end(fit, seconds, record);
  variational::Evaluator evaluator(posterior, 1);
  const Index draws = config.draws * fit.q->num_components();
  run::record_distribution(fit.q->clone(), evaluator, draws, draws, name.method, config.adam.seed, record);
  // The exact posterior is known here, and no other method can be run.
  for (result::TrustItem& item : record.trust)
    if (!item.action.empty()) item.action = "Compare with the exact posterior, of which numbers.json has the moments.";
  const Matrix pairs = record.draws.chain(0);
  const Vector mean = record.kappa.mean;
  keep_kappa(record);

  record.prior_draws = run::draw_prior(posterior.prior(), config.adam.seed).topRows(1);
  const BimodalModel at_nodes(config.source, Vector::LinSpaced(cells + 1, 0, 1)),
      at_sensor(config.source, Vector::Constant(1, config.sensor));
  const auto solve = [&](Index draw, const Vector&) {
    const Vector pair = pairs.col(draw);
    return run::Prediction{at_nodes.predict(pair), at_sensor.predict(pair), pair.tail(1), true};
  };
  run::predict({cells + 1, 1, 1, solve, at_nodes.predict(mean)}, nullptr, 1, record);
  return record;
}

Matrix bimodal_draws(const result::MethodRecord& record) {
  Matrix pairs(2, record.num_draws());
  pairs << Matrix(record.draws.chain(0)), record.quantity_draws;
  return pairs;
}

}  // namespace varimesh::paper
