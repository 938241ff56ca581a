#include "varimesh/mesh/gmsh_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "varimesh/error.h"
#include "varimesh/quote.h"

namespace varimesh::mesh {
namespace {

constexpr std::string_view white_space = " \t\r\n\v\f";
constexpr long long max_items = 100'000'000;

}  // namespace

void GmshScanner::set_binary(bool swapped) {
  binary_ = true;
  swapped_ = swapped;
}

void GmshScanner::skip_space() {
  position_ = std::min(bytes_.find_first_not_of(white_space, position_), bytes_.size());
}

bool GmshScanner::at_end() {
  skip_space();
  last_ = position_;
  return position_ == bytes_.size();
}

std::string_view GmshScanner::word(std::string_view what) {
  skip_space();
  last_ = position_;
  if (position_ == bytes_.size()) fail_expected(what, "the end of the file");
  position_ = std::min(bytes_.find_first_of(white_space, position_), bytes_.size());
  return bytes_.substr(last_, position_ - last_);
}

std::string_view GmshScanner::rest_of_line() {
  const std::size_t end = std::min(bytes_.find('\n', position_), bytes_.size());
  std::string_view line = bytes_.substr(position_, end - position_);
  position_ = std::min(end + 1, bytes_.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view GmshScanner::open_section() {
  const auto mark = word("the start of a section");
  if (mark.front() != '$' || mark.size() == 1 || mark.starts_with("$End"))
    fail_expected("the start of a section", quote(mark));
  rest_of_line();
  return mark.substr(1);
}

void GmshScanner::close_section(std::string_view section) {
  const auto expected = fmt::format("$End{}", section);
  const auto mark = word(expected);
  if (mark != expected) fail_expected(expected, quote(mark));
  rest_of_line();
}

void GmshScanner::skip_section(std::string_view section) {
  const auto mark = fmt::format("$End{}", section);
  const std::size_t found = bytes_.find(mark, position_);
  if (found == std::string_view::npos) fail(fmt::format("expected the end of section {}, found none", quote(section)));
  position_ = found + mark.size();
  rest_of_line();
}

template <class T>
T GmshScanner::raw(std::string_view what) {
  last_ = position_;
  if (bytes_.size() - position_ < sizeof(T)) fail_expected(what, "the end of the file");
  std::array<char, sizeof(T)> buffer;
  std::memcpy(buffer.data(), bytes_.data() + position_, sizeof(T));
  if (swapped_) std::ranges::reverse(buffer);
  position_ += sizeof(T);
  T value;
  std::memcpy(&value, buffer.data(), sizeof(T));
  return value;
}

template <class T>
T GmshScanner::parse(std::string_view what) {
  const auto text = word(what);
  const auto digits = text.substr(text.front() == '+' ? 1 : 0);
  T value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) fail_expected(what, quote(text));
  return value;
}

long long GmshScanner::text_integer(std::string_view what) { return parse<long long>(what); }

int GmshScanner::integer(std::string_view what) { return binary_ ? raw<std::int32_t>(what) : parse<int>(what); }

long long GmshScanner::label(std::string_view what) {
  return binary_ ? raw<std::int32_t>(what) : parse<long long>(what);
}

long long GmshScanner::size(std::string_view what) {
  const long long value = binary_ ? raw<std::int64_t>(what) : parse<long long>(what);
  if (value < 0) fail_expected(what, fmt::format("{}", value));
  return value;
}

double GmshScanner::real(std::string_view what) { return binary_ ? raw<double>(what) : parse<double>(what); }

double GmshScanner::coordinate(std::string_view what) {
  const double value = real(what);
  if (!std::isfinite(value)) fail(fmt::format("expected {} that is finite, found {}", what, value));
  return value;
}

void GmshScanner::check_count(long long count, std::string_view what, ItemSize item) const {
  if (count < 0 || count > max_items)
    fail(fmt::format("expected 0 to {} {}, found the count {}", max_items, what, count));
  // In text a number takes a digit and a space, but for the last.
  const long long least = binary_ ? count * item.bytes : 2 * count * item.numbers - 1;
  const auto left = static_cast<long long>(bytes_.size() - position_);
  if (least > left) fail(fmt::format("expected {} {}, found the end of the file after {} bytes", count, what, left));
}

void GmshScanner::fail(std::string_view message) const {
  if (binary_) throw InputError(fmt::format("{}: byte {}: {}", name_, last_, message));
  const auto line = std::ranges::count(bytes_.substr(0, last_), '\n') + 1;
  throw InputError(fmt::format("{}:{}: {}", name_, line, message));
}

void GmshScanner::fail_expected(std::string_view what, std::string_view found) const {
  fail(fmt::format("expected {}, found {}", what, found));
}

}  // namespace varimesh::mesh
