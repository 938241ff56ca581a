#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace varimesh {

/// A number as it stands in a sentence, with so many digits: 0.0123, 12.3, and all of 1234567 before the point. Only
/// what is smaller than 0.0001 or has more than nine digits before the point has an exponent.
std::string in_digits(double value, int digits);

/// A value and its error, which has so many digits, to the same place: 2311 and 356, 0.0118 and 0.0002.
std::pair<std::string, std::string> in_digits_of_error(double value, double error, int digits);
/// The same as one text: "2311 +- 356".
std::string with_error(double value, double error, int digits);

/// A value and a limit that it keeps or breaks with so many decimals, or as many more as show which: not 1.010 and
/// 1.010, but 1.0103 and 1.0100.
std::pair<std::string, std::string> told_apart(double value, double limit, int decimals);

/// "1 sensor", "2 sensors".
std::string counted(long long count, std::string_view thing);
/// "1 hexahedron", "2 hexahedra".
std::string counted(long long count, std::string_view thing, std::string_view things);

/// With so many digits: "1 sd", "0.3 sds", "133 sds".
std::string amount(double value, int digits, std::string_view thing);
/// The same of a ratio: "0.8 times as large", "as large".
std::string times_as(double ratio, int digits, std::string_view what);

}  // namespace varimesh
