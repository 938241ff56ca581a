#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/run/config.h"

namespace {

constexpr std::string_view problem = R"([mesh]
kind = "interval"
cells = 4
[boundary]
left = { dirichlet = 0 }
[observations]
data = "data.csv"
sigma = 0.1
[prior]
kind = "independent"
)";

}  // namespace

/// Any lines KEY=VALUE, as --set takes them, lead to a configuration or an InputError. Seeds: fuzz/corpus/set.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<varimesh::run::Override> overrides;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + (line.size() < text.size() ? 1 : 0));
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && equals > 0)
      overrides.push_back({std::string(line.substr(0, equals)), std::string(line.substr(equals + 1))});
  }
  try {
    varimesh::run::parse_config(problem, "fuzz.toml", overrides);
    // What it says as a file is what it says.
    const std::string written = varimesh::run::override_text(problem, "fuzz.toml", overrides);
    varimesh::run::parse_config(written, "fuzz.toml");
  } catch (const varimesh::InputError&) {
  }
  return 0;
}
