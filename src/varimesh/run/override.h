#pragma once

#include <string>

namespace varimesh::run {

/// A setting that overrides the file's: a dotted key, and its value in TOML; what is no TOML is a string.
struct Override {
  std::string key, value;
};

}  // namespace varimesh::run
