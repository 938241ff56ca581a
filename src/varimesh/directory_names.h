#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace varimesh {

/// The names in a directory, in no order; none if it cannot be read. (Iterators of the C++ library end the process
/// where memory does.)
std::vector<std::string> directory_names(const std::filesystem::path& directory);

}  // namespace varimesh
