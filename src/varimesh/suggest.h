#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace varimesh {

/// "; did you mean 'cells'?" for the valid word nearest to a misspelt one, or nothing if none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& valid);

}  // namespace varimesh
