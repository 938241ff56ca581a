#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace varimesh::cli {

/// Text as a terminal may get it: control characters but for tabs and ends of lines, which names in files can bring
/// along, are spelled out, as \x1b.
std::string printable(std::string_view text);

/// Writes printable text; finish_output tells whether it could not be written.
void write_text(std::FILE* stream, std::string_view text);

/// Prints to standard output.
template <class... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_text(stdout, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Prints to standard error.
template <class... Arguments>
void print_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_text(stderr, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Sees to it that no file is opened in the place of a standard stream that is closed.
void reserve_standard_streams();

/// The exit code, which is no success if something could not be printed.
int finish_output(int exit_code);

}  // namespace varimesh::cli
