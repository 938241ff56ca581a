#include "varimesh/run/parse_duration.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/quote.h"

namespace varimesh::run {

double parse_duration(std::string_view text) {
  constexpr double longest = 366 * 86400.0;
  double number = 0;
  const auto [rest, error] = std::from_chars(text.begin(), text.end(), number);
  std::string_view unit(rest, text.end());
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  double seconds = std::nan("");
  constexpr std::pair<std::string_view, double> units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}};
  for (const auto& [word, factor] : units) {
    if (error == std::errc() && unit == word) seconds = number * factor;
  }
  if (!(seconds > 0 && seconds <= longest))
    throw InputError(fmt::format("expected a time such as \"90s\", \"2min\" or \"1h\", found {}", quote(text)));
  return seconds;
}

}  // namespace varimesh::run
