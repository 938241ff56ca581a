#include "varimesh/mcmc/json_fields.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "varimesh/error.h"

namespace varimesh::mcmc {
namespace {

using nlohmann::json;

long long decode_integer(const json& object, const char* name, long long most) {
  const json& value = field(object, name);
  // An unsigned number beyond the range of signed ones becomes a negative one.
  const auto number = value.is_number_integer() ? value.get<std::int64_t>() : -1;
  if (number < 0 || number > most)
    throw InputError(fmt::format("expected an integer from 0 to {} as '{}'", most, name));
  return number;
}

}  // namespace

const json& field(const json& object, const char* name) {
  const auto place = object.is_object() ? object.find(name) : object.end();
  if (place == object.end()) throw InputError(fmt::format("expected '{}', found none", name));
  return *place;
}

double decode_number(const json& object, const char* name) {
  const json& value = field(object, name);
  if (!value.is_number()) throw InputError(fmt::format("expected a number as '{}'", name));
  return value.get<double>();
}

Index decode_index(const json& object, const char* name, Index most) {
  return static_cast<Index>(decode_integer(object, name, most));
}

long long decode_count(const json& object, const char* name) {
  return decode_integer(object, name, std::numeric_limits<long long>::max());
}

json encode_vector(const Vector& x) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(x.size()) * sizeof(double));
  if (!bytes.empty()) std::memcpy(bytes.data(), x.data(), bytes.size());
  return json::binary(std::move(bytes));
}

Vector decode_vector(const json& object, const char* name, Eigen::Index size) {
  const json& value = field(object, name);
  if (!value.is_binary() || value.get_binary().size() != static_cast<std::size_t>(size) * sizeof(double))
    throw InputError(fmt::format("expected {} numbers as '{}'", size, name));
  Vector x(size);
  if (size > 0) std::memcpy(x.data(), value.get_binary().data(), value.get_binary().size());
  return x;
}

}  // namespace varimesh::mcmc
