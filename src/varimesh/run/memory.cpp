#include "varimesh/run/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/error.h"

namespace varimesh::run {
namespace {

using variational::FamilyKind;

/// Numbers for each unknown that a fit of low rank holds: two sketches and two spectra of it, the test matrix, and
/// rows of Jacobians on their way into a sketch.
double low_rank_numbers(double rows, int threads) {
  constexpr double most_rows = 600, first_guess = 300;
  const double width = rows <= most_rows ? 1.6 * rows + 40 : first_guess;
  const double gathered = std::min(rows, 2 * width) * threads;
  return 3 * width + 2 * 0.8 * width + gathered;
}

}  // namespace

double fit_bytes(const InverseProblem& problem, const inverse::Posterior& posterior,
                 const variational::FitOptions& options) {
  const double n = posterior.size();
  double numbers = 20 * n;  // draws and vectors
  if (options.family == FamilyKind::full_covariance || options.family == FamilyKind::mixture) numbers += 5 * n * n;
  if (options.family == FamilyKind::low_rank)
    numbers += n * low_rank_numbers(problem.record().num_sensors(), options.threads);
  if (options.pattern) numbers += 6.0 * static_cast<double>(options.pattern->num_entries());
  return sizeof(double) * numbers + options.threads * problem.workspace_bytes();
}

void require_memory(double needed, double available, const std::string& what) {
  if (!(needed > available)) return;
  throw InputError(fmt::format(
      "{} needs about {:.1f} GB of memory, of which {:.1f} GB are available: take fewer unknowns (a coarser "
      "mesh, or per = \"node\" in [coefficient]) or fewer threads",
      what, needed / 1e9, available / 1e9));
}

}  // namespace varimesh::run
