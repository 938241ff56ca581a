#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "scratch_directory.h"

namespace varimesh::test {

/// The program, built beside the tests.
inline const std::string& program() {
  static const std::string path =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "cli" / "varimesh";
  return path;
}

/// What a run of the program printed, and its exit code.
struct Output {
  int exit_code;
  std::string text;
};

/// Runs `varimesh ARGUMENTS` in a directory, standard output and standard error together.
inline Output run_program(const std::string& arguments, const std::filesystem::path& directory) {
  const std::string command = "cd '" + directory.string() + "' && '" + program() + "' " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  Output output{-1, {}};
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.text.append(buffer.data(), count);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  return output;
}

}  // namespace varimesh::test
