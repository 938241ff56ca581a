#include "method_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/error.h"

namespace varimesh::cli {

void tell_problem_from_methods(const std::string& command, std::string& problem, std::vector<std::string>& methods) {
  if (problem.empty() && !methods.empty()) {
    problem = methods.back();
    methods.pop_back();
  }
  if (problem.empty())
    throw InputError(fmt::format("{0}: expected a problem file; 'varimesh {0} --help' says more", command));
}

void take_methods(const std::vector<std::string>& methods, run::Config& config) {
  if (methods.empty()) return;
  auto& use = config.method.use;
  use.clear();
  for (const std::string& word : methods) {
    const run::Method method = run::parse_method(word);
    if (std::ranges::find(use, method) == use.end()) use.push_back(method);
  }
}

}  // namespace varimesh::cli
