#include "varimesh/run/toml_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>

#include "varimesh/error.h"

namespace varimesh::run {
namespace {

constexpr std::size_t deepest = 16;

bool contains(std::string_view characters, char c) { return characters.find(c) != std::string_view::npos; }

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// The string that opens at the beginning of the text, with its quotes, or as far as it goes.
std::string_view leading_string(std::string_view text) {
  const char quote = text.front();
  const std::string triple(3, quote);
  const bool multiline = text.starts_with(triple);
  for (std::size_t i = multiline ? 3 : 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (multiline && text.substr(i).starts_with(triple)) {
      const std::size_t end = text.find_first_not_of(quote, i);  // """" ends with a quote that belongs to the string
      return text.substr(0, end);
    } else if (!multiline && (text[i] == quote || text[i] == '\n')) {
      return text.substr(0, i + 1);
    }
  }
  return text;
}

// Whether the table header that opens at the beginning of the text goes on with a name.
bool names_a_table(std::string_view text) {
  const std::size_t i = text.find_first_not_of(" \t", text.starts_with("[[") ? 2 : 1);
  return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || contains("_-\"'", text[i]));
}

// Whether the text begins with a space between digits, as in a date and time: "2026-01-31 12:00:00".
bool parts_digits(std::string_view before, std::string_view text) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const bool follows_number = !before.empty() && (is_digit(before.back()) || contains("-_", before.back()));
  return follows_number && text.size() > 1 && text[0] == ' ' && is_digit(text[1]);
}

class StructureCheck {
 public:
  StructureCheck(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  void run() {
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '"' || c == '\'') {
        skip_string();
      } else if (c == '#') {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else {
        check_character(c);
        ++position_;
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    const std::string_view before = text_.substr(0, position_);
    throw InputError(fmt::format("{}:{}: {}", file_, std::count(before.begin(), before.end(), '\n') + 1, message));
  }

  void skip_string() {
    const std::string_view string = leading_string(text_.substr(position_));
    const bool stands_alone = position_ == 0 || contains(" \t\n,=[{", text_[position_ - 1]);
    const bool is_ascii_only = std::all_of(string.begin(), string.end(), is_ascii);
    if (string.starts_with("\"\"\"") && !is_ascii_only) fail("expected only ASCII characters in a multi-line string");
    if (!stands_alone && !is_ascii_only) fail("expected only ASCII characters in a string with no space before it");
    position_ += string.size();
    line_begins_ = false;
  }

  void check_character(char c) {
    if (!is_ascii(c)) fail("expected only ASCII characters outside strings and comments");
    if (parts_digits(text_.substr(0, position_), text_.substr(position_))) fail("unexpected digit after a space");
    if (c == '[' && line_begins_ && brackets_.empty() && !names_a_table(text_.substr(position_))) {
      fail("expected a table name after '['");
    }
    if (c == '[' || c == '{') brackets_.push_back(c);
    if (c == ']' || c == '}') close_bracket(c);
    if (c == '.') ++dots_;
    if (contains("\n,=[{", c)) dots_ = 0;
    if (brackets_.size() > deepest || dots_ > deepest) {
      fail(fmt::format("expected at most {} levels of nesting, found more", deepest));
    }
    if (!contains(" \t", c)) line_begins_ = contains("\n\v\f\r", c);
  }

  void close_bracket(char c) {
    if (brackets_.empty() || brackets_.back() != (c == ']' ? '[' : '{')) fail(fmt::format("unexpected '{}'", c));
    brackets_.pop_back();
  }

  std::string_view text_, file_;
  std::size_t position_ = 0;
  std::size_t dots_ = 0;     // in the current key
  std::string brackets_;     // open ones, outermost first
  bool line_begins_ = true;  // only blanks so far in this line
};

}  // namespace

// toml++ 3.3 builds, and destroys recursively, a table for each part of a dotted key, however many there are. It
// asserts that table headers have a name, that no value begins with a closing bracket, and that what looks like the
// beginning of a date and time is one. Where it looks for spaces, which is everywhere but in strings of one line, some
// characters beyond ASCII lead it to undefined behaviour; and a quote within a word does not open a string for it.
void check_toml_structure(std::string_view text, std::string_view file) { StructureCheck(text, file).run(); }

}  // namespace varimesh::run
