#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "varimesh/error.h"
#include "varimesh/run/config.h"
#include "varimesh/run/expression.h"

namespace {

// Boundary values are where expressions stand; evaluating them reaches the rest of the expression parser.
void evaluate(const varimesh::run::FunctionConfig& function) {
  if (const auto* text = std::get_if<std::string>(&function.value)) {
    varimesh::run::parse_expression(*text, function.origin)({0.25, 0.5, -0.75});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto config = varimesh::run::parse_config(text, "fuzz.toml");
    for (const auto& boundary : config.boundaries) evaluate(boundary.value);
  } catch (const varimesh::InputError&) {
  }
  return 0;
}
