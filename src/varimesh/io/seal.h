#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace varimesh::io {

/// A checksum of bytes, to be written behind them in formats whose readers do not mind. It lets us refuse damaged files
/// before a library reads them that might crash on them, as HDF5 does.
std::string seal(std::string_view bytes);

/// Throws an InputError for a file with a seal that does not fit. Files without one, such as others have worked on,
/// pass.
void check_seal(const std::filesystem::path& file);

}  // namespace varimesh::io
