#include "varimesh/run/read_methods.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/run/problem_difference.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::run {

StoredMethods read_methods(const std::vector<std::filesystem::path>& results) {
  std::optional<result::ProblemRecord> problem;
  std::vector<result::MethodRecord> methods;
  std::vector<std::string> fingerprints, names;
  std::vector<result::ProblemWords> words;
  std::set<std::string> ids;
  for (const std::filesystem::path& given : results) {
    for (const std::filesystem::path& directory : find_results(given)) {
      StoredResult stored = read_result(directory);
      if (problem && stored.method.has_answer()) {
        if (const std::string difference = problem_difference(*problem, stored.problem); !difference.empty())
          throw InputError(fmt::format("{}: expected a result that can stand beside {}, but {}", directory.string(),
                                       results.front().string(), difference));
      }
      // Two results of one method are told apart by where they are.
      if (ids.contains(stored.method.method)) {
        stored.method.name += fmt::format(" ({})", given.filename().string());
        int number = 2;
        while (ids.contains(fmt::format("{}-{}", stored.method.method, number))) ++number;
        stored.method.method += fmt::format("-{}", number);
      }
      ids.insert(stored.method.method);
      fingerprints.push_back(stored.problem.fingerprint);
      if (stored.method.has_answer()) {
        names.push_back(stored.method.name);
        words.push_back(stored.problem.words);
      }
      if (!problem && stored.method.has_answer()) problem = std::move(stored.problem);
      methods.push_back(std::move(stored.method));
    }
  }
  if (!problem)
    throw InputError(
        fmt::format("{}: expected at least one method with an answer, found none", results.front().string()));
  std::vector<std::string> differences = name_differences(names, words, *problem);
  return {std::move(*problem), std::move(methods), std::move(fingerprints), std::move(differences)};
}

}  // namespace varimesh::run
