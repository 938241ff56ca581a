#include "varimesh/run/quantity_config.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace varimesh::run {

QuantityConfig read_quantity(const Setting& quantity) {
  using Kind = QuantityConfig::Kind;
  constexpr std::array<std::pair<const char*, Kind>, 6> kinds{{{"flux", Kind::flux},
                                                               {"log_flux", Kind::log_flux},
                                                               {"value", Kind::value},
                                                               {"mean", Kind::mean},
                                                               {"max", Kind::max},
                                                               {"min", Kind::min}}};
  quantity.allow({"flux", "log_flux", "value", "mean", "max", "min", "of"});
  QuantityConfig result;
  result.origin = quantity.origin();
  result.name = quantity.name();
  int found = 0;
  for (const auto& [key, kind] : kinds) {
    const auto setting = quantity.find(key);
    if (!setting) continue;
    if (++found > 1) break;
    result.kind = kind;
    if (kind == Kind::value) {
      for (const Setting& coordinate : setting->elements(1, 3)) result.point.push_back(coordinate.number());
    } else {
      result.part = setting->string();
    }
  }
  if (found != 1)
    quantity.fail(fmt::format("expected one of 'flux', 'log_flux', 'value', 'mean', 'max' and 'min', found {}",
                              found == 0 ? "none" : "several"));
  if (const auto of = quantity.find("of")) {
    if (result.kind == Kind::flux || result.kind == Kind::log_flux)
      of->fail("allowed only beside a value, mean, max or min");
    result.of = of->choice({"u", "kappa", "conductivity"});
  }
  return result;
}

}  // namespace varimesh::run
