#include "varimesh/run/evaluate.h"

#include "varimesh/error.h"

namespace varimesh::run {

Evaluation evaluate(const Problem& problem, const Vector& kappa) {
  const fem::EllipticProblem& equation = *problem.equation.problem;
  const fem::EllipticSolution solution = equation.solve(kappa);
  if (!solution.ok())
    throw InputError(
        "the equation cannot be solved at this kappa: exp(kappa) overflows, underflows or varies too much");
  Evaluation result;
  if (problem.model) result.prediction = problem.model->readings(solution);
  if (problem.observations) {
    result.log_likelihood = inverse::log_likelihood(*problem.observations, result.prediction);
    result.without_constant = inverse::log_likelihood_without_constant(*problem.observations, result.prediction);
  }
  result.u = equation.in_mesh_order(solution.u());
  for (const Quantity& quantity : problem.quantities) result.quantities.push_back(quantity.value(solution));
  return result;
}

}  // namespace varimesh::run
