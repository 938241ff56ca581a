#pragma once

#include <cstdint>
#include <functional>

#include "varimesh/result/counts.h"
#include "varimesh/variational/importance.h"

namespace varimesh::variational {

// Independent draws of a distribution that is not normal, but skewed and bent as the forward model is (randomise, then
// optimise: Bardsley, Solonen, Haario and Laine 2014; in the directions that data inform: Bardsley, Cui, Marzouk and
// Wang 2020). With the prior's root R, kappa = m + R w, and the standardised residuals S(w) = Gamma^-1/2 (G - y), let
// U, lambda be the noticeable eigenvectors and eigenvalues of A'A, A = dS/dw at a centre, and B = A U. A draw is the w
// with
//
//   T(w) = z,   z ~ N(0, I),   T(w) = (I + U diag(lambda) U')^-1/2 (w + U B'S(w)).
//
// For a linear model T whitens the posterior, and draws are exact. Else their density is |det T'(w)| N(T(w); 0, I), and
// importance weights make them exact. Outside the span of U a draw is one of the prior, so that equation and
// determinant have as many rows as U has columns, however many unknowns there are.

struct RandomizeOptions {
  Index pilot = 200;  ///< draws that only serve to find a better centre, their mean
  Index draws = 1000;
  /// Draws are added, up to this number, until so many of them are effective, unless their weights are of no use.
  Index most_draws = 4000;
  double effective = 500;
  std::uint64_t seed = 1;
  /// Asked now and then with how many draws there are; false ends the search for more.
  std::function<bool(Index done)> proceed = {};
};

struct RandomizedDraws {
  /// All draws that were found; `failures` are those for which the equation has no solution that could be found. No
  /// draws if there are too few to say anything of.
  ImportanceCheck check;
  Index directions = 0;                     ///< columns of U
  double evaluations = 0, derivatives = 0;  ///< of T for each draw, on average
  result::Counts counts;
};

/// From a centre, such as the mean of a fit. Needs a posterior with a forward model, normal noise and a normal prior.
/// The result depends on the seed, not on the evaluator's threads.
RandomizedDraws randomize_then_optimize(Evaluator& evaluator, const Vector& centre,
                                        const RandomizeOptions& options = {});

}  // namespace varimesh::variational
