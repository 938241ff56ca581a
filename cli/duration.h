#pragma once

#include <string>

namespace varimesh::cli {

/// Seconds as people say them: "14 us", "0.32 s", "2 min 05 s", "3 h 12 min".
std::string duration(double seconds);

}  // namespace varimesh::cli
