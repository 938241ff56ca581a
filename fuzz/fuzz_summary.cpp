#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "varimesh/error.h"
#include "varimesh/io/summary_file.h"

namespace {

/// What is written of a summary that was read.
std::string rewritten(std::string_view text) {
  varimesh::result::ProblemRecord problem;
  varimesh::result::MethodRecord method;
  varimesh::io::parse_summary(text, "fuzz.json", problem, method);
  return varimesh::io::format_summary(problem, method);
}

}  // namespace

/// Any bytes are either a summary, which is then written as it was read, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string once;
  try {
    once = rewritten({reinterpret_cast<const char*>(data), size});
  } catch (const varimesh::InputError&) {
    return 0;
  }
  if (rewritten(once) != once) __builtin_trap();
  return 0;
}
