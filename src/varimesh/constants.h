#pragma once

#include <limits>

namespace varimesh {

/// What is not known.
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Beyond every number.
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// 95 % of a standard normal distribution lie below.
inline constexpr double normal_95 = 1.6448536269514722;

}  // namespace varimesh
