#include "varimesh/run/mesh_check.h"

#include <fmt/format.h>

#include <cmath>

#include "varimesh/cancellation.h"
#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/random.h"
#include "varimesh/random_streams.h"
#include "varimesh/run/measurements.h"

namespace varimesh::run {
namespace {

/// What a problem predicts, on its mesh or on a refined one.
struct Predicted {
  Vector sensors, quantities;
  bool ok = false;
};

Predicted predict(const fem::EllipticProblem& equation, const inverse::EllipticModel* model,
                  const std::vector<Quantity>& quantities, const Vector& kappa) {
  const fem::EllipticSolution solution = equation.solve(kappa);
  Predicted predicted{Vector(0), Vector(std::ssize(quantities)), solution.ok()};
  if (!predicted.ok) return predicted;
  if (model) predicted.sensors = model->readings(solution);
  for (std::size_t q = 0; q < quantities.size(); ++q)
    predicted.quantities[static_cast<Eigen::Index>(q)] = quantities[q].value(solution);
  return predicted;
}

/// Why the refined mesh is too large; empty if it is not.
std::string why_too_large(const Problem& problem, double available) {
  constexpr double most_cells = 2e6, most_operations = 1e11;  // some seconds
  const Equation& equation = problem.equation;
  const fem::EllipticProblem& fem = *equation.problem;
  const int dimension = equation.mesh.dimension();
  const double cells = std::ldexp(equation.mesh.num_cells(), dimension);
  // Entries of a factor grow as n on a line, n log n in the plane, n^(4/3) in space; a factorisation takes about
  // entries^2 / n operations.
  const double growth = dimension == 1 ? 2 : dimension == 2 ? 5 : 16;
  const double entries = growth * fem.cholesky().factor_entries();
  const double operations = entries * entries / std::ldexp(std::max<double>(fem.num_free(), 1), dimension);
  const double bytes = growth * (fem.bytes() + fem.workspace_bytes());
  if (cells > most_cells || operations > most_operations)
    return fmt::format("with {:.0f} cells it would take too long", cells);
  if (bytes > 0.5 * available)
    return fmt::format("it would need about {:.1f} GB of memory, of which {:.1f} GB are available", bytes / 1e9,
                       available / 1e9);
  return "";
}

/// Keeps the change of larger magnitude, entry by entry.
void keep_larger(Vector& kept, const Vector& change) {
  if (kept.size() == 0) kept = Vector::Zero(change.size());
  for (Eigen::Index i = 0; i < kept.size(); ++i) {
    if (!(std::abs(change[i]) <= std::abs(kept[i]))) kept[i] = change[i];
  }
}

result::MeshCheck compare_with_refined(const Config& config, const Problem& problem, const Matrix& fields) {
  result::MeshCheck check;
  const Equation fine = build_refined_equation(config, problem.equation, 1);
  const std::vector<Quantity> fine_quantities = build_quantities(config, fine);
  const auto fine_model = problem.model ? build_model(*problem.sensors, fine) : nullptr;
  for (Eigen::Index k = 0; k < fields.cols(); ++k) {
    const Vector kappa = fields.col(k);
    const Predicted before = predict(*problem.equation.problem, problem.model.get(), problem.quantities, kappa);
    const Predicted after = predict(*fine.problem, fine_model.get(), fine_quantities, kappa);
    if (!before.ok || !after.ok) {
      check.skipped = "the equation cannot be solved on it";
      return check;
    }
    keep_larger(check.sensors, after.sensors - before.sensors);
    keep_larger(check.quantities, after.quantities - before.quantities);
    if (k == 0) check.quantities_before = before.quantities;
  }
  check.refined_cells = fine.mesh.num_cells();
  return check;
}

}  // namespace

result::MeshCheck check_mesh(const Config& config, const Problem& problem, const Matrix& fields, double available) {
  result::MeshCheck check;
  check.skipped = why_too_large(problem, available);
  if (!check.skipped.empty()) return check;
  return run_abandonable([config, problem, fields] { return compare_with_refined(config, problem, fields); });
}

Matrix fields_to_try(const Problem& problem, const inverse::Prior* prior, std::uint64_t seed) {
  if (!prior) return Matrix::Zero(problem.num_unknowns(), 1);
  constexpr Index draws = 2;
  Random random(seed, random_streams::fields_to_try);
  const auto* normal = dynamic_cast<const inverse::GaussianPrior*>(prior);
  Matrix fields(problem.num_unknowns(), normal ? draws + 1 : draws);
  for (Eigen::Index k = 0; k < fields.cols(); ++k)
    fields.col(k) = normal && k == 0 ? normal->gaussian().mean() : prior->sample(random);
  return fields;
}

MeshShares mesh_shares(const result::MeshCheck& check, const Vector& standard_error) {
  MeshShares shares;
  if (check.sensors.size() == 0) return shares;
  const Vector share = check.sensors.cwiseAbs().cwiseQuotient(standard_error);
  Eigen::Index sensor = 0;
  shares.largest = share.maxCoeff(&sensor);
  shares.sensor = static_cast<Index>(sensor);
  shares.root_mean_square = std::sqrt(share.squaredNorm() / static_cast<double>(share.size()));
  return shares;
}

}  // namespace varimesh::run
