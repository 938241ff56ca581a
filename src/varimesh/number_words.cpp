#include "varimesh/number_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace varimesh {
namespace {

constexpr double most_written_out = 1e9;

}  // namespace

std::string in_digits(double value, int digits) {
  const double size = std::abs(value);
  if (size >= std::pow(10.0, digits) - 0.5 && size < most_written_out) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

std::pair<std::string, std::string> in_digits_of_error(double value, double error, int digits) {
  constexpr int most_decimals = 8;
  const bool known = std::isfinite(value) && std::isfinite(error) && error > 0;
  const int decimals = known ? digits - 1 - static_cast<int>(std::floor(std::log10(error))) : most_decimals + 1;
  if (decimals > most_decimals || std::abs(value) >= most_written_out || error >= most_written_out)
    return {in_digits(value, 4), in_digits(error, digits)};
  const int shown = std::max(decimals, 0);
  return {fmt::format("{:.{}f}", value, shown), fmt::format("{:.{}f}", error, shown)};
}

std::string with_error(double value, double error, int digits) {
  const auto [shown, shown_error] = in_digits_of_error(value, error, digits);
  return shown + " +- " + shown_error;
}

std::pair<std::string, std::string> told_apart(double value, double limit, int decimals) {
  constexpr int most_decimals = 17;
  std::pair<std::string, std::string> texts;
  do {
    texts = {fmt::format("{:.{}f}", value, decimals), fmt::format("{:.{}f}", limit, decimals)};
  } while (texts.first == texts.second && value != limit && decimals++ < most_decimals);
  return texts;
}

std::string counted(long long count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string counted(long long count, std::string_view thing, std::string_view things) {
  return fmt::format("{} {}", count, count == 1 ? thing : things);
}

std::string amount(double value, int digits, std::string_view thing) {
  const std::string number = in_digits(value, digits);
  return fmt::format("{} {}{}", number, thing, number == "1" ? "" : "s");
}

std::string times_as(double ratio, int digits, std::string_view what) {
  const std::string number = in_digits(ratio, digits);
  return number == "1" ? fmt::format("as {}", what) : fmt::format("{} times as {}", number, what);
}

}  // namespace varimesh
