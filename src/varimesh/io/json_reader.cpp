#include "varimesh/io/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "varimesh/error.h"
#include "varimesh/quote.h"

namespace varimesh::io {
namespace {

using Json = nlohmann::ordered_json;

// An ordered object finds a member by going through all of them, so that reading one takes quadratic time.
constexpr std::size_t max_depth = 64, max_members = 1000;

/// Refuses what would take too long to parse. It only has to be right about JSON: the parser refuses everything else.
void check_structure(std::string_view text, std::string_view source) {
  std::vector<std::size_t> members;  // of each object or array that is open: a colon each
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '{' || c == '[') {
      if (members.size() == max_depth)
        throw InputError(fmt::format("{}: expected JSON that nests at most {} deep", source, max_depth));
      members.push_back(0);
    } else if ((c == '}' || c == ']') && !members.empty()) {
      members.pop_back();
    } else if (c == ':' && !members.empty() && ++members.back() > max_members) {
      throw InputError(fmt::format("{}: expected objects of at most {} members", source, max_members));
    }
  }
}

std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return quote(value.get_ref<const std::string&>());
    default:
      return value.dump();  // null, true, false or a number
  }
}

}  // namespace

Json parse_json(std::string_view text, std::string_view source) {
  check_structure(text, source);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view before = text.substr(0, std::max<std::size_t>(error.byte, 1) - 1);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    throw InputError(fmt::format("{}:{}: expected JSON, found an error in column {}", source, line, column));
  } catch (const Json::out_of_range&) {
    throw InputError(fmt::format("{}: expected numbers below 1.8e308", source));
  }
}

JsonReader JsonReader::at(std::string_view key) const {
  if (!value_ || !value_->is_object()) fail("an object");
  const auto found = value_->find(std::string(key));
  return {found == value_->end() ? nullptr : &*found, source_,
          fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", key)};
}

std::vector<JsonReader> JsonReader::elements() const {
  if (!value_ || !value_->is_array()) fail("an array");
  std::vector<JsonReader> all;
  for (const Json& element : *value_) all.push_back({&element, source_, fmt::format("{}[{}]", path_, all.size())});
  return all;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  if (!value_ || !value_->is_object()) fail("an object");
  std::vector<std::pair<std::string, JsonReader>> all;
  for (const auto& [key, member] : value_->items())
    all.emplace_back(key, JsonReader(&member, source_, fmt::format("{}[{}]", path_, quote(key))));
  return all;
}

double JsonReader::number() const {
  if (value_ && value_->is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!value_ || !value_->is_number()) fail("a number or null");
  return value_->get<double>();
}

int JsonReader::index() const { return static_cast<int>(integer(std::numeric_limits<int>::max())); }

std::uint64_t JsonReader::integer(std::uint64_t most) const {
  if (!value_ || !value_->is_number_unsigned() || value_->get<std::uint64_t>() > most)
    fail(fmt::format("an integer from 0 to {}", most));
  return value_->get<std::uint64_t>();
}

std::string JsonReader::text() const {
  if (!value_ || !value_->is_string()) fail("a string");
  return value_->get<std::string>();
}

std::size_t JsonReader::choice(std::span<const std::string_view> names) const {
  const std::string word = text();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) fail("one of " + quote_list({names.begin(), names.end()}));
  return static_cast<std::size_t>(found - names.begin());
}

const Json& JsonReader::value() const {
  if (!value_) fail("a value");
  return *value_;
}

void JsonReader::fail(std::string_view expected) const {
  throw InputError(fmt::format("{}: {}{}expected {}, found {}", source_, path_, path_.empty() ? "" : ": ", expected,
                               value_ ? describe(*value_) : "nothing"));
}

}  // namespace varimesh::io
