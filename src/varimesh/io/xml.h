#pragma once

#include <string>
#include <string_view>

namespace varimesh::io {

/// Text as XML shows it, within elements and within attributes in double quotes.
std::string escape_xml(std::string_view text);

}  // namespace varimesh::io
