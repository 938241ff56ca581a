#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "commands.h"

namespace varimesh::cli {

/// What the command line asked for, to be run once it is parsed.
using Command = std::function<ExitCode()>;

/// All commands and their options. `chosen` is set while a command line is parsed; both must outlive the parsing.
/// `command_line` is what was typed, for reports.
std::unique_ptr<CLI::App> create_program(Command& chosen, const std::string& command_line);

/// A script that completes commands, options and methods, for bash, zsh or fish.
std::string completion_script(const CLI::App& program, const std::string& shell);

/// The manual page, in roff.
std::string manual_page(const CLI::App& program);

}  // namespace varimesh::cli
