#pragma once

#include <string>
#include <vector>

#include "varimesh/run/config.h"

namespace varimesh::cli {

/// `varimesh COMMAND --method pmvb problem.toml` reads like a list of methods that ends with a file: the problem is
/// taken from there. Throws InputError if there is none.
void tell_problem_from_methods(const std::string& command, std::string& problem, std::vector<std::string>& methods);

/// Puts methods, each once, in place of the file's, if there are any.
void take_methods(const std::vector<std::string>& methods, run::Config& config);

}  // namespace varimesh::cli
