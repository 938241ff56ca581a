#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace varimesh {

/// Text of an input as it may stand in a message: in single quotes, on one line, cut if long.
std::string quote(std::string_view text);

/// Names as they may stand in a message: "'x', 'y', 'value'"; of a long list the first 20.
std::string quote_list(const std::vector<std::string>& names);

}  // namespace varimesh
