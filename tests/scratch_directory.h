#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace varimesh::test {

/// A new empty directory that goes away with its owner; in memory where the system has a place for that, because disks
/// are slow at replacing files.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    for (const std::filesystem::path parent : {std::string("/dev/shm"), testing::TempDir()}) {
      std::string name = parent / "varimesh-XXXXXX";
      if (!mkdtemp(name.data())) continue;
      path_ = name;
      return;
    }
    throw std::runtime_error("cannot make a directory for a test");
  }
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& file, const std::string& bytes) const {
    std::ofstream(path_ / file, std::ios::binary) << bytes;
  }
  std::string read(const std::string& file) const {
    std::ostringstream bytes;
    bytes << std::ifstream(path_ / file, std::ios::binary).rdbuf();
    return bytes.str();
  }
  /// Names in the directory, hidden ones included, sorted.
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace varimesh::test
