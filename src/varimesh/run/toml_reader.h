#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/run/override.h"
#include "varimesh/types.h"

namespace varimesh::run {

/// The table that TOML text denotes; an InputError "file:line: ..." for bad syntax or nesting too deep to be meant.
toml::table parse_toml(std::string_view text, const std::filesystem::path& file);

/// Seeds are exact in every format that has only double-precision numbers.
constexpr std::uint64_t largest_seed = 1'000'000'000'000'000;

/// Puts them into a parsed file. Throws InputError for a key that is empty or leads through something that is no table.
void apply_overrides(toml::table& content, const std::vector<Override>& overrides);

/// A value in a TOML file that knows where it stands. The checks throw an InputError "file:line: key: ...".
/// It refers to the parsed file, which must outlive it.
class Setting {
 public:
  Setting(const toml::table& file_content, const std::filesystem::path& file);

  /// "problem.toml:12: boundary.left".
  const std::string& origin() const { return origin_; }
  /// The last key that leads here.
  const std::string& name() const { return name_; }
  /// Where a key that is absent from this table would stand: "problem.toml: equation".
  std::string absent_origin(std::string_view key) const;

  [[noreturn]] void fail(const std::string& message) const;
  /// Fails with "expected ..., found a string".
  [[noreturn]] void fail_type(std::string_view expected) const;

  bool is_number() const { return node_->is_number(); }
  bool is_integer() const { return node_->is_integer(); }
  bool is_string() const { return node_->is_string(); }
  bool is_array() const { return node_->is_array(); }
  bool is_table() const { return node_->is_table(); }

  /// A finite number.
  double number() const;
  /// A number greater than zero.
  double positive_number() const;
  /// An integer from `smallest` to `largest`.
  Index integer(Index smallest, Index largest) const;
  bool boolean() const;
  /// A seed of random numbers: an integer from 0 to largest_seed.
  std::uint64_t seed() const;
  /// Text that is not empty and of at most 10,000 bytes.
  std::string string() const;
  /// One of the given words.
  std::string choice(const std::vector<std::string>& words) const;
  /// The elements of an array that has at least `fewest` and at most `most`.
  std::vector<Setting> elements(std::size_t fewest, std::size_t most) const;

  /// Fails at the first key of this table that is not among the given ones.
  void allow(const std::vector<std::string>& keys) const;
  /// The values of this table, in the order of the file.
  std::vector<Setting> entries() const;
  /// The value of a key of this table, if it is there.
  std::optional<Setting> find(std::string_view key) const;
  /// The value of a key of this table that must be there.
  Setting require(std::string_view key) const;

 private:
  Setting(const toml::node& node, std::string file, std::string path, std::string name, toml::source_index line);

  const toml::table& table() const;
  Setting entry(const toml::key& key, const toml::node& node) const;

  const toml::node* node_;
  bool in_file_ = true;  // not an override
  std::string file_;
  std::string path_;  // "boundary.left"; empty for the whole file
  std::string name_;
  std::string origin_;
};

}  // namespace varimesh::run
