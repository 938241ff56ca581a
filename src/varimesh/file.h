#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace varimesh {

/// The bytes of a file; an InputError if it is missing, a directory, unreadable, or larger than `max_bytes`.
std::string read_file(const std::filesystem::path& file, std::uintmax_t max_bytes);

/// Writes a file whole or not at all: to a temporary file beside it, then renamed.
void write_file(const std::filesystem::path& file, std::string_view bytes);

/// Makes a directory and those above it, if they are not there.
void ensure_directory(const std::filesystem::path& directory);

}  // namespace varimesh
