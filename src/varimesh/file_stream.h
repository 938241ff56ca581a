#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

namespace varimesh {

struct FileCloser {
  void operator()(std::FILE* stream) const { std::fclose(stream); }
};
/// A file of the C library, closed when it goes.
using FileStream = std::unique_ptr<std::FILE, FileCloser>;

/// What an error number of the system means.
inline std::string reason(int code) { return std::generic_category().message(code); }

}  // namespace varimesh
