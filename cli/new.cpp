#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "templates.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/quote.h"
#include "varimesh/suggest.h"

namespace varimesh::cli {

std::string new_kinds_help() {
  std::string help = "What to begin with:";
  for (const Template& t : templates())
    help += fmt::format("{} {} ({})", t.kind == templates().front().kind ? "" : ",", t.kind, t.description);
  return help;
}

ExitCode run_new(NewOptions options) {
  std::vector<std::string> kinds;
  for (const Template& t : templates()) kinds.emplace_back(t.kind);
  const auto found =
      std::find_if(templates().begin(), templates().end(), [&](const Template& t) { return t.kind == options.kind; });
  if (found == templates().end())
    throw InputError(fmt::format("new: expected one of {}, found {}{}", quote_list(kinds), quote(options.kind),
                                 suggestion(options.kind, kinds)));
  if (options.out.empty()) options.out = options.kind;
  if (file_exists(options.out))
    throw InputError(
        fmt::format("'{}' exists: expected a new directory, such as --out my-{}", options.out.string(), options.kind));
  protect_results();
  ensure_directory(options.out);
  std::vector<FileContent> files;
  for (const TemplateFile& file : found->files)
    files.push_back({options.out / std::string(file.name), std::string(file.bytes)});
  write_files(files);
  const std::string problem = (options.out / "problem.toml").string();
  print("problem       {} ({})\n", problem, found->description);
  if (!found->has_data) {
    SimulateOptions simulate;
    simulate.problem = problem;
    simulate.seed = options.seed;
    run_simulate(simulate);
  }
  print("next          varimesh run {}\n", problem);
  return success;
}

}  // namespace varimesh::cli
