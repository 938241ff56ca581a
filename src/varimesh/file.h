#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace varimesh {

/// The bytes of a file; an InputError if it is missing, a directory, unreadable, or larger than `max_bytes`.
std::string read_file(const std::filesystem::path& file, std::uintmax_t max_bytes);

/// Whether what was written survives a loss of power, for which it waits, or only the end of the process.
enum class Durable { no, yes };

/// Writes a file whole or not at all: to a temporary file beside it, then renamed.
void write_file(const std::filesystem::path& file, std::string_view bytes, Durable durable = Durable::no);

struct FileContent {
  std::filesystem::path file;
  std::string bytes;
};

/// The same for several files, all of which are written before the first is renamed.
void write_files(const std::vector<FileContent>& files, Durable durable = Durable::no);

/// Whether there is something of that name that can be reached.
bool file_exists(const std::filesystem::path& file);

/// Makes a directory and those above it, if they are not there.
void ensure_directory(const std::filesystem::path& directory);

}  // namespace varimesh
