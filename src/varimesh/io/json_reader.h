#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace varimesh::io {

/// Parses JSON that may be anything: it is refused if it nests deeper than 64, or if an object has more than 1000
/// members. InputErrors name the source and the line.
nlohmann::ordered_json parse_json(std::string_view text, std::string_view source);

/// A value in a JSON document and how to get there, which is how InputErrors name it: "summary.json: khat.value: ...".
/// The document and the name of its source must outlive it.
class JsonReader {
 public:
  JsonReader(const nlohmann::ordered_json& document, std::string_view source) : value_(&document), source_(source) {}

  /// A member of an object; missing ones fail when they are read.
  JsonReader at(std::string_view key) const;
  /// What is in an array.
  std::vector<JsonReader> elements() const;
  /// What is in an object, in the order of the document.
  std::vector<std::pair<std::string, JsonReader>> members() const;

  /// A number; null is NaN.
  double number() const;
  /// An integer from 0 to `most`.
  std::uint64_t integer(std::uint64_t most) const;
  /// An integer that counts or numbers what is in memory.
  int index() const;
  std::string text() const;
  /// The same, or "" of a member that is missing, as in files of before there was one.
  std::string text_if_any() const { return value_ == nullptr ? "" : text(); }
  /// The place of a string among those allowed.
  std::size_t choice(std::span<const std::string_view> names) const;

  /// The value itself.
  const nlohmann::ordered_json& value() const;
  /// Throws an InputError: what was expected here and what was found.
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  JsonReader(const nlohmann::ordered_json* value, std::string_view source, std::string path)
      : value_(value), source_(source), path_(std::move(path)) {}

  const nlohmann::ordered_json* value_;  // null if it is missing
  std::string_view source_;
  std::string path_;
};

}  // namespace varimesh::io
