#pragma once

#include <string_view>

namespace varimesh::run {

/// Refuses text, valid or not, that the toml++ library cannot safely take; other faults are left for it to find.
void check_toml_structure(std::string_view text, std::string_view file);

}  // namespace varimesh::run
