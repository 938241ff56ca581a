#pragma once

#include <functional>

#include "varimesh/result/method_record.h"
#include "varimesh/run/inverse_problem.h"

namespace varimesh::run {

/// How many draws are kept with their u, to be looked at.
constexpr Index most_shown_draws = 20;

struct PredictionCount {
  Index failures = 0;    ///< draws at which the model fails
  bool complete = true;  ///< not stopped by the observer or an interruption
};

/// How draws lead to what they lead to.
struct Predictor {
  Index nodes = 0, sensors = 0, quantities = 0;
  std::function<Prediction(Index draw, const Vector& kappa)> solve;  ///< called by several threads at once
  Vector u_at_mean;                                                  ///< u at the mean of kappa
};

/// Fills in what follows from a method's draws of kappa: u, the sensors' readings and the quantities, with their
/// summaries, and how far they are from the truth (null: not known). Draws at which the model fails, or that were not
/// reached before the observer said stop or an interruption, are NaN and left out of summaries.
PredictionCount predict(const Predictor& predictor, const result::Truth* truth, int threads,
                        result::MethodRecord& record, const std::function<bool(double done)>& observer = {});

/// Whether a quantity's draws differ by rounding only, as where balance alone determines it.
bool is_fixed(const Vector& draws);

/// The quantities at each of the chains' draws, one chain after the other; NaN where the equation cannot be solved.
Matrix quantities_at(const InverseProblem& problem, const result::Draws& draws, int threads);

/// By a problem's model.
PredictionCount predict(const InverseProblem& problem, const result::Truth* truth, int threads,
                        result::MethodRecord& record, const std::function<bool(double done)>& observer = {});

}  // namespace varimesh::run
