#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace varimesh::test {

/// What a run of the program printed, and its exit code.
struct Output {
  int exit_code;
  std::string text;
};

/// Runs `varimesh ARGUMENTS` in a directory, standard output and standard error together.
inline Output run_program(const std::string& arguments, const std::filesystem::path& directory) {
  const std::string command = "cd '" + directory.string() + "' && '" VARIMESH_PROGRAM "' " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  Output output{-1, {}};
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.text.append(buffer.data(), count);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  return output;
}

/// A new empty directory that goes away with its owner.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = testing::TempDir() + "/varimesh-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& file, const std::string& text) const { std::ofstream(path_ / file) << text; }
  std::string read(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(path_ / file).rdbuf();
    return text.str();
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
