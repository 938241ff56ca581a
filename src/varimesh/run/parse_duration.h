#pragma once

#include <string_view>

namespace varimesh::run {

/// Seconds from "90s", "2min", "1.5 h" or a plain number of seconds. Throws InputError unless it is one, positive and
/// at most a year.
double parse_duration(std::string_view text);

}  // namespace varimesh::run
