#pragma once

#include <string_view>

namespace varimesh {

/// The version of this library, such as "0.1.0".
std::string_view version();

}  // namespace varimesh
