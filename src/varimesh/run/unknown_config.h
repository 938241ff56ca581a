#pragma once

#include <string>

#include "varimesh/run/origin.h"
#include "varimesh/scalar_prior.h"

namespace varimesh::run {

class Setting;

/// An unknown scalar that expressions use by its name.
struct UnknownConfig {
  Origin origin;
  std::string name, unit;
  ScalarPrior prior;
};

/// An entry of [unknowns] that is a scalar.
UnknownConfig read_unknown(const Setting& unknown);
/// Fails at an entry with a name that expressions cannot use.
void require_unknown_name(const Setting& unknown);

/// The prior in a clause: "log-normal with median 2 and sd 0.5 of the logarithm".
std::string describe_prior(const UnknownConfig& unknown);

}  // namespace varimesh::run
