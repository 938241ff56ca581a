#include "varimesh/quote.h"

#include <algorithm>
#include <cstddef>

namespace varimesh {
namespace {

/// Whether every byte above 0x7f is part of a character of the right length.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace

std::string quote(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t length = std::min(text.size(), longest);
  const auto continues_character = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  while (length < text.size() && length > 0 && continues_character(length)) --length;
  std::string shown(text.substr(0, length));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  if (!is_utf8(shown)) {
    for (char& c : shown) {
      if (static_cast<unsigned char>(c) > 0x7f) c = '?';
    }
  }
  return "'" + shown + (length < text.size() ? "...'" : "'");
}

std::string quote_list(const std::vector<std::string>& names) {
  constexpr std::size_t longest = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), longest); ++i) list += (i ? ", " : "") + quote(names[i]);
  return names.size() > longest ? list + " and " + std::to_string(names.size() - longest) + " more" : list;
}

}  // namespace varimesh
