#include "varimesh/quote.h"

#include <algorithm>
#include <cstddef>

namespace varimesh {

std::string quote(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t length = std::min(text.size(), longest);
  const auto continues_character = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  while (length < text.size() && length > 0 && continues_character(length)) --length;
  std::string shown(text.substr(0, length));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
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
