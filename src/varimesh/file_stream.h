#pragma once

#include <cerrno>
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

/// Calls a function of the system until no signal interrupts it; its result, -1 if it failed.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// What an error number of the system means.
inline std::string reason(int code) { return std::generic_category().message(code); }

}  // namespace varimesh
