#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace varimesh::run {

/// A file that a problem names. Copies share what was read, so that all that is made of the file, and the checksum by
/// which results are told apart, are of the same bytes.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);

  const std::filesystem::path& path() const;
  /// The path, for messages.
  std::string string() const { return path().string(); }

  /// Its bytes. They are read once and kept, but for those of large files, which are read again: an InputError if they
  /// are others by then.
  std::shared_ptr<const std::string> bytes(std::uintmax_t most_bytes) const;

  /// Of its bytes, which are read if they were not; none of a missing file, nor of a pipe that nobody has read.
  std::optional<std::uint64_t> checksum() const;

 private:
  struct Content;
  std::shared_ptr<Content> content_;
};

/// All files that a problem names, each one once, in the order in which they are named.
class InputFiles {
 public:
  /// The file of a path; relative paths are relative to the directory.
  InputFile find(const std::filesystem::path& directory, std::string_view path);

  const std::vector<InputFile>& all() const { return files_; }

 private:
  std::vector<InputFile> files_;
};

}  // namespace varimesh::run
