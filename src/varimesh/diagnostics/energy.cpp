#include "varimesh/diagnostics/energy.h"

#include <limits>

namespace varimesh::diagnostics {

void EnergyMoments::add(double energy) {
  if (count > 0) changes += (energy - last) * (energy - last);
  last = energy;
  ++count;
  const double deviation = energy - mean;
  mean += deviation / count;
  squares += deviation * (energy - mean);
}

double EnergyMoments::e_bfmi() const {
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  return changes / squares;
}

}  // namespace varimesh::diagnostics
