#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::gaussian {
class Gaussian;
}

namespace varimesh::result {

/// One transition of the warm-up: what it used and what came of it.
struct WarmupPoint {
  double step;        ///< step size, or beta
  double acceptance;  ///< of its proposals, on average
};

/// A covariance that a chain took up as its scale (the inverse mass matrix) after so many transitions, from so many of
/// its own draws: from 0 if it began with it.
struct ScaleUpdate {
  Index iteration;
  Index draws;
  std::shared_ptr<const gaussian::Gaussian> scale;
};

/// Where a chain is.
struct ChainProgress {
  Index chain = 0;
  Index transitions = 0, total = 0;  ///< warm-up included
  bool warmup = true;
  double acceptance = 0;    ///< mean, of the warm-up or of what came after it
  double step = 0;          ///< size, or beta
  Index divergences = 0;    ///< after the warm-up
  double seconds = 0;       ///< since this run started
  double seconds_left = 0;  ///< until all chains are done, estimated
};

/// Called now and then, from one thread at a time; all chains stop after it returns false.
using ChainObserver = std::function<bool(const ChainProgress&)>;

}  // namespace varimesh::result
