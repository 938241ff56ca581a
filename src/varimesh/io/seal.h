#pragma once

#include <filesystem>

namespace varimesh::io {

/// Writes a checksum of a file's bytes behind them, for formats whose readers do not mind. It lets us refuse damaged
/// files before a library reads them that might crash on them, as HDF5 does.
void append_seal(const std::filesystem::path& file);

/// Whether a file has a seal; files that others have worked on have none. Throws an InputError if it does not fit.
bool check_seal(const std::filesystem::path& file);

}  // namespace varimesh::io
