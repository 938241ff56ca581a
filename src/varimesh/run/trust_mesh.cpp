// judge_mesh of trust.h.
#include <fmt/format.h>

#include <cmath>

#include "varimesh/run/mesh_check.h"
#include "varimesh/run/trust.h"

namespace varimesh::run {
namespace {

using Level = result::TrustItem::Level;

constexpr double noticeable = 0.3, too_large = 1;  // in standard errors of a sensor, and in sds of a quantity

/// Each refinement divides the change by about four.
int refinements_needed(double share) {
  return std::max(1, static_cast<int>(std::ceil(std::log(share / noticeable) / std::log(4.0))));
}

}  // namespace

Level mesh_level(double share) {
  return share >= too_large ? Level::bad : share >= noticeable ? Level::warn : Level::good;
}

std::string describe_mesh_change(const Problem& problem, const MeshShares& shares) {
  return fmt::format("up to {:.2g} standard errors ({}), {:.2g} in the root mean square", shares.largest,
                     describe_sensor(problem, shares.sensor), shares.root_mean_square);
}

void judge_mesh(const Problem& problem, result::MethodRecord& record) {
  const result::MeshCheck& check = record.mesh_check;
  if (!check.is_known()) {
    if (check.skipped.empty()) return;
    record.trust.push_back({.level = Level::good,
                            .headline = "The mesh was not compared with a finer one.",
                            .explanation = "The refined mesh is too large: " + check.skipped + ".",
                            .action = ""});
    return;
  }
  const MeshShares shares = mesh_shares(check, problem.observations->weight.cwiseSqrt().cwiseInverse());
  double worst = shares.largest;
  std::string found = fmt::format("For the mean field, predictions change by {} on the mesh refined once ({} cells).",
                                  describe_mesh_change(problem, shares), check.refined_cells);
  for (std::size_t q = 0; q < problem.quantities.size(); ++q) {
    if (record.quantities[q].density.size() == 0) continue;
    const double share = std::abs(check.quantities[static_cast<Eigen::Index>(q)]) / record.quantities[q].sd;
    if (!std::isfinite(share)) continue;
    worst = std::max(worst, share);
    found += fmt::format(" '{}' changes by {:.2g} of its sds.", problem.quantities[q].name, share);
  }
  const Level level = mesh_level(worst);
  if (level == Level::good) {
    record.trust.push_back(
        {.level = level, .headline = "The mesh is fine enough.", .explanation = std::move(found), .action = ""});
    return;
  }
  const int times = refinements_needed(worst);
  record.trust.push_back(
      {.level = level,
       .headline = level == Level::bad ? "The mesh is too coarse." : "The error of the mesh is noticeable.",
       .explanation =
           std::move(found) + " The error of the mesh is about a third more than this, and the field makes up for it.",
       .action = fmt::format("Halve the size of the cells {}: that divides the error by about {:.0f}.",
                             times == 1 ? "once" : fmt::format("{} times", times), std::pow(4.0, times))});
}

}  // namespace varimesh::run
