// judge_mesh of trust.h.
#include <fmt/format.h>

#include <cmath>

#include "varimesh/number_words.h"
#include "varimesh/run/add_finding.h"
#include "varimesh/run/mesh_check.h"
#include "varimesh/run/trust.h"

namespace varimesh::run {
namespace {

using Level = result::TrustItem::Level;
using Kind = result::TrustItem::Kind;

constexpr double noticeable = 0.3, too_large = 1;  // in standard errors of a sensor, and in sds of a quantity

/// Each refinement divides the change by about four.
int refinements_needed(double share) {
  return std::max(1, static_cast<int>(std::ceil(std::log(share / noticeable) / std::log(4.0))));
}

/// What to do about it.
std::string advice(double share) {
  if (mesh_level(share) == Level::good) return "";
  const int times = refinements_needed(share);
  return fmt::format("Halve the size of the cells {}: that divides the error by about {:.0f}.",
                     times == 1 ? "once" : fmt::format("{} times", times), std::pow(4.0, times));
}

/// By how much the data speak for this mesh against the refined one, in nats, the field being the truth:
///     1/2 |y - G(truth) - d|^2 - 1/2 |y - G(truth)|^2 in standard errors, d what refinement changes.
double nats_for_this_mesh(const InverseProblem& problem, const result::Truth& truth, const result::MeshCheck& check) {
  const inverse::Observations& data = *problem.observations();
  const Vector residual = data.mean - problem.predict(truth.kappa).readings;
  return 0.5 * data.weight.dot((residual - check.sensors).cwiseAbs2() - residual.cwiseAbs2());
}

std::string describe_change(const InverseProblem& problem, const MeshShares& shares) {
  return describe_mesh_change(problem.record().sensors, problem.record().mesh.dimension(), shares);
}

/// Made-up data of a mesh are no less exact for its errors.
void tell_of_made_up_data(const InverseProblem& problem, const MeshShares& shares, double nats,
                          result::MethodRecord& record) {
  const result::MeshCheck& check = record.mesh_check;
  add(record, Level::good,
      {Kind::mesh,
       {},
       {{"largest_share", shares.largest},
        {"root_mean_square_share", shares.root_mean_square},
        {"sensor", static_cast<double>(shares.sensor)},
        {"refined_cells", static_cast<double>(check.refined_cells)},
        {"nats_for_this_mesh", nats}}},
      "The data were made on this very mesh, whose error is in them.",
      fmt::format("The known truth explains them better here than on the mesh refined once ({} cells), on which "
                  "predictions change by {}. For real data that would be {}.",
                  check.refined_cells, describe_change(problem, shares),
                  mesh_level(shares.largest) == Level::bad ? "too much" : "noticeable"));
}

void judge_sensors_mesh(const InverseProblem& problem, const MeshShares& shares, result::MethodRecord& record) {
  const result::MeshCheck& check = record.mesh_check;
  const Level level = mesh_level(shares.largest);
  constexpr const char* headlines[] = {"The mesh is fine enough for the data.", "The error of the mesh is noticeable.",
                                       "The mesh is too coarse for the data."};
  add(record, level,
      {Kind::mesh,
       {},
       {{"largest_share", shares.largest},
        {"root_mean_square_share", shares.root_mean_square},
        {"sensor", static_cast<double>(shares.sensor)},
        {"refined_cells", static_cast<double>(check.refined_cells)}}},
      headlines[static_cast<std::size_t>(level)],
      fmt::format("For the mean field, predictions change by {} on the mesh refined once ({} cells).{}",
                  describe_change(problem, shares), check.refined_cells,
                  level == Level::good
                      ? ""
                      : " The error of the mesh is about a third more, and is taken for a property of the field."),
      advice(shares.largest));
}

/// Only what is noticeable is said of quantities.
void judge_quantities_mesh(const InverseProblem& problem, result::MethodRecord& record) {
  for (std::size_t q = 0; q < problem.record().quantities.size(); ++q) {
    const result::QuantitySummary& quantity = record.quantities[q];
    if (quantity.density.size() == 0) continue;
    const double change = std::abs(record.mesh_check.quantities[static_cast<Eigen::Index>(q)]);
    const double share = change / quantity.sd;
    if (!std::isfinite(share) || mesh_level(share) == Level::good) continue;
    const std::string& name = problem.record().quantities[q].name;
    add(record, mesh_level(share), {Kind::mesh, name, {{"change", change}, {"share", share}}},
        fmt::format("The mesh is too coarse for '{}'.", name),
        fmt::format("For the mean field it changes by {:.2g}, {:.2g} of its sds, on the mesh refined once.", change,
                    share),
        advice(share));
  }
}

}  // namespace

Level mesh_level(double share) {
  return share >= too_large ? Level::bad : share >= noticeable ? Level::warn : Level::good;
}

std::string describe_mesh_change(const result::SensorRecord& sensors, int dimension, const MeshShares& shares) {
  return fmt::format("up to {} ({}), {:.2g} in the root mean square", amount(shares.largest, 2, "standard error"),
                     describe_sensor(sensors, dimension, shares.sensor), shares.root_mean_square);
}

void judge_mesh(const InverseProblem& problem, const result::Truth* truth, result::MethodRecord& record) {
  constexpr double decisive = 5;  // nats: odds of 150 to one
  const result::MeshCheck& check = record.mesh_check;
  if (check.is_known()) {
    const MeshShares shares = mesh_shares(check, problem.observations()->weight.cwiseSqrt().cwiseInverse());
    if (truth && mesh_level(shares.largest) != Level::good) {
      const double nats = nats_for_this_mesh(problem, *truth, check);
      if (nats > decisive) return tell_of_made_up_data(problem, shares, nats, record);
    }
    judge_sensors_mesh(problem, shares, record);
    judge_quantities_mesh(problem, record);
  } else if (!check.skipped.empty()) {
    add(record, Level::good, {Kind::mesh}, "The mesh was not compared with a finer one.",
        "The refined mesh was left out: " + check.skipped + ".");
  }
}

}  // namespace varimesh::run
