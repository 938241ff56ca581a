#include "varimesh/run/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/quote.h"
#include "varimesh/run/toml_structure.h"
#include "varimesh/suggest.h"

namespace varimesh::run {
namespace {

constexpr std::size_t max_string_length = 10'000;

std::string_view describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::date:
      return "a date";
    case toml::node_type::time:
      return "a time";
    case toml::node_type::date_time:
      return "a date and time";
    default:
      return "nothing";
  }
}

bool is_bare_key(std::string_view key) {
  const auto is_bare = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  return !key.empty() && std::all_of(key.begin(), key.end(), is_bare);
}

/// A table with the key "value", if the text is a TOML value.
std::optional<toml::table> try_parse_value(const std::string& text) {
  try {
    const std::string line = "value = " + text;
    check_toml_structure(line, "");
    toml::table parsed = toml::parse(line);
    if (parsed.size() == 1 && parsed.contains("value")) return parsed;
    return std::nullopt;
  } catch (const toml::parse_error&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::filesystem::path& file) {
  check_toml_structure(text, file.string());
  try {
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()));
  }
}

void apply_overrides(toml::table& content, const std::vector<Override>& overrides) {
  for (const auto& [key, value] : overrides) {
    const std::string origin = "--set " + quote(key);
    toml::table* table = &content;
    if (key.empty() || key.front() == '.' || key.back() == '.' || key.find("..") != std::string::npos)
      throw InputError(fmt::format("{}: expected a key such as method.seed", origin));
    std::string_view rest = key;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      const std::string_view part = rest.substr(0, dot);
      rest.remove_prefix(dot + 1);
      table = table->insert(part, toml::table{}).first->second.as_table();
      if (!table) throw InputError(fmt::format("{}: expected a table at {}, found a value", origin, quote(part)));
    }
    table->erase(rest);  // with its place in the file
    if (const std::optional<toml::table> parsed = try_parse_value(value)) {
      table->insert(rest, *parsed->get("value"));
    } else {
      table->insert(rest, value);
    }
  }
}

Setting::Setting(const toml::table& file_content, const std::filesystem::path& file)
    : node_(&file_content), file_(file.string()), origin_(file.string()) {}

Setting::Setting(const toml::node& node, std::string file, std::string path, std::string name, toml::source_index line)
    : node_(&node),
      in_file_(line != 0),
      file_(std::move(file)),
      path_(std::move(path)),
      name_(std::move(name)),
      // What did not come from the file has no line.
      origin_(in_file_ ? fmt::format("{}:{}: {}", file_, line, path_) : fmt::format("--set {}", path_)) {}

std::string Setting::absent_origin(std::string_view key) const {
  return fmt::format("{}: {}{}{}", file_, path_, path_.empty() ? "" : ".", key);
}

void Setting::fail(const std::string& message) const { throw InputError(origin_ + ": " + message); }

void Setting::fail_type(std::string_view expected) const {
  fail(fmt::format("expected {}, found {}", expected, describe(*node_)));
}

double Setting::number() const {
  if (!is_number()) fail_type("a number");
  // value<double>() has nothing to say of integers that are not exact.
  const double value =
      is_integer() ? static_cast<double>(node_->as_integer()->get()) : node_->as_floating_point()->get();
  if (!std::isfinite(value)) fail(fmt::format("expected a finite number, found {}", value));
  return value;
}

double Setting::positive_number() const {
  const double value = number();
  if (value <= 0) fail(fmt::format("expected a number greater than 0, found {}", value));
  return value;
}

Index Setting::integer(Index smallest, Index largest) const {
  if (!is_integer()) fail_type("an integer");
  const std::int64_t value = node_->value<std::int64_t>().value_or(0);
  if (value < smallest || value > largest) {
    fail(fmt::format("expected an integer from {} to {}, found {}", smallest, largest, value));
  }
  return static_cast<Index>(value);
}

bool Setting::boolean() const {
  if (!node_->is_boolean()) fail_type("true or false");
  return node_->value<bool>().value_or(false);
}

std::uint64_t Setting::seed() const {
  if (!is_integer()) fail_type("an integer");
  const std::int64_t value = node_->value<std::int64_t>().value_or(0);
  if (value < 0 || static_cast<std::uint64_t>(value) > largest_seed)
    fail(fmt::format("expected an integer from 0 to {}, found {}", largest_seed, value));
  return static_cast<std::uint64_t>(value);
}

std::string Setting::string() const {
  if (!is_string()) fail_type("a string");
  std::string value = node_->value<std::string>().value_or("");
  if (value.empty()) fail("expected a string that is not empty");
  if (value.size() > max_string_length) {
    fail(fmt::format("expected at most {} characters, found {}", max_string_length, value.size()));
  }
  if (value.find('\0') != std::string::npos) fail("expected text, found a null character");
  return value;
}

std::string Setting::choice(const std::vector<std::string>& words) const {
  std::string word = string();
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  fail(fmt::format("expected one of {}, found {}{}", quote_list(words), quote(word), suggestion(word, words)));
}

std::vector<Setting> Setting::elements(std::size_t fewest, std::size_t most) const {
  const toml::array* array = node_->as_array();
  if (!array) fail_type("an array");
  if (array->size() < fewest || array->size() > most) {
    const std::string expected = fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
    fail(fmt::format("expected {} {}, found {}", expected, most == 1 ? "entry" : "entries", array->size()));
  }
  std::vector<Setting> elements;
  for (const toml::node& node : *array) {
    const std::string position = fmt::format("[{}]", elements.size());
    elements.push_back(
        Setting(node, file_, path_ + position, name_ + position, in_file_ ? node.source().begin.line : 0));
  }
  return elements;
}

void Setting::allow(const std::vector<std::string>& keys) const {
  for (const Setting& setting : entries()) {
    if (std::find(keys.begin(), keys.end(), setting.name_) != keys.end()) continue;
    const std::string nearest = suggestion(setting.name_, keys);
    setting.fail("unknown key" + (nearest.empty() ? "; the keys here are " + quote_list(keys) : nearest));
  }
}

std::vector<Setting> Setting::entries() const {
  std::vector<std::pair<toml::source_position, Setting>> placed;
  for (const auto& [key, node] : table()) placed.emplace_back(key.source().begin, entry(key, node));
  const auto stands_before = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(placed.begin(), placed.end(), stands_before);
  std::vector<Setting> entries;
  for (auto& [position, setting] : placed) entries.push_back(std::move(setting));
  return entries;
}

std::optional<Setting> Setting::find(std::string_view key) const {
  const auto found = table().find(key);
  if (found == table().end()) return std::nullopt;
  return entry(found->first, found->second);
}

Setting Setting::require(std::string_view key) const {
  if (const auto setting = find(key)) return *setting;
  fail(path_.empty() ? fmt::format("missing table [{}]", key) : fmt::format("missing key '{}'", key));
}

const toml::table& Setting::table() const {
  const toml::table* table = node_->as_table();
  if (!table) fail_type("a table");
  return *table;
}

Setting Setting::entry(const toml::key& key, const toml::node& node) const {
  const std::string name(key.str());
  const std::string shown = is_bare_key(name) ? name : quote(name);
  return Setting(node, file_, path_.empty() ? shown : path_ + "." + shown, name,
                 in_file_ ? key.source().begin.line : 0);
}

}  // namespace varimesh::run
