#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace varimesh::io {

/// The bytes as text: base64 with padding, without line breaks (RFC 4648).
std::string base64(std::span<const std::byte> bytes);

}  // namespace varimesh::io
