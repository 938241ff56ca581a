#include "varimesh/run/unknown_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "varimesh/run/expression.h"
#include "varimesh/run/toml_reader.h"

namespace varimesh::run {
namespace {

constexpr std::size_t most_normals = 100;

}  // namespace

void require_unknown_name(const Setting& unknown) {
  const std::string& name = unknown.name();
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (!std::ranges::all_of(name, is_letter) || std::isdigit(static_cast<unsigned char>(name.front())))
    unknown.fail("expected a name of letters, digits and underscores that begins with a letter");
  const std::vector<std::string> taken = expression_names();
  if (std::ranges::count(taken, name) > 0 || name == "u" || name == "kappa" || name == "conductivity")
    unknown.fail("the name has a meaning of its own: expected another one");
}

namespace {

ScalarPrior::Normal read_normal(const Setting& table) {
  ScalarPrior::Normal result;
  if (const auto weight = table.find("weight")) result.weight = weight->positive_number();
  result.mean = table.require("mean").number();
  result.sigma = table.require("sigma").positive_number();
  return result;
}

ScalarPrior read_unknown_prior(const Setting& prior) {
  ScalarPrior result;
  const std::string kind = prior.require("kind").choice({"normal", "log_normal", "uniform", "mixture"});
  if (kind == "normal") {
    prior.allow({"kind", "mean", "sigma"});
    result.normals = {read_normal(prior)};
  } else if (kind == "log_normal") {
    prior.allow({"kind", "median", "sigma"});
    result.transform.kind = Transform::Kind::exp;
    result.normals = {
        {1, std::log(prior.require("median").positive_number()), prior.require("sigma").positive_number()}};
  } else if (kind == "uniform") {
    prior.allow({"kind", "from", "to"});
    const Setting to = prior.require("to");
    result.transform = {Transform::Kind::bounded, prior.require("from").number(), to.number()};
    if (!(result.transform.from < result.transform.to))
      to.fail(fmt::format("expected more than {}, found {}", result.transform.from, result.transform.to));
    result.normals = {{}};
  } else {
    prior.allow({"kind", "components"});
    for (const Setting& component : prior.require("components").elements(1, most_normals)) {
      component.allow({"weight", "mean", "sigma"});
      result.normals.push_back(read_normal(component));
    }
  }
  return result;
}

}  // namespace

UnknownConfig read_unknown(const Setting& unknown) {
  if (!unknown.is_table()) unknown.fail_type("a table with a prior");
  unknown.allow({"prior", "unit"});
  require_unknown_name(unknown);
  UnknownConfig result{unknown.origin(), unknown.name(), {}, {}};
  if (const auto unit = unknown.find("unit")) result.unit = unit->string();
  result.prior = read_unknown_prior(unknown.require("prior"));
  return result;
}

std::string describe_prior(const UnknownConfig& unknown) {
  const auto& [transform, normals] = unknown.prior;
  const auto& [weight, mean, sigma] = normals.front();
  if (normals.size() > 1) return fmt::format("a mixture of {} normal distributions", normals.size());
  switch (transform.kind) {
    case Transform::Kind::identity:
      return fmt::format("normal with mean {:.4g} and sd {:.4g}", mean, sigma);
    case Transform::Kind::exp:
      return fmt::format("log-normal with median {:.4g} and sd {:.4g} of the logarithm", std::exp(mean), sigma);
    case Transform::Kind::bounded:
      return fmt::format("uniform from {:.4g} to {:.4g}", transform.from, transform.to);
  }
  return "";
}

}  // namespace varimesh::run
