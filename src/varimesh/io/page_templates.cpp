#include "varimesh/io/page_templates.h"

#include <algorithm>

#include "varimesh/embed.h"

namespace varimesh::io {

VARIMESH_EMBED(report_page, VARIMESH_REPORT_PAGE)
VARIMESH_EMBED(document_page, VARIMESH_DOCUMENT_PAGE)

std::string_view report_template() { return report_page(); }
std::string_view document_template() { return document_page(); }

std::string fill_template(std::string_view page, std::string_view data) {
  constexpr std::string_view marker = "@VARIMESH_REPORT_DATA@";
  const std::size_t place = page.find(marker);
  std::string filled(page.substr(0, place));
  filled.reserve(page.size() + data.size());
  for (std::size_t at = 0; at < data.size();) {
    const std::size_t next = std::min(data.find('<', at), data.size());
    filled.append(data, at, next - at);
    if (next < data.size()) filled += "\\u003c";  // a `<` could end the element that holds the data
    at = next + 1;
  }
  return filled.append(page.substr(place + marker.size()));
}

}  // namespace varimesh::io
