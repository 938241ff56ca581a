#include "varimesh/run/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "commands.h"
#include "output.h"
#include "results.h"
#include "status_line.h"
#include "varimesh/error.h"
#include "varimesh/quote.h"

namespace varimesh::cli {
namespace {

/// "prior.kernel=matern12 prior.sigma=2", which may change the prior only: the data must stay the same.
std::vector<run::Override> read_alternative(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> parts;
  for (std::string word; words >> word;) {
    if (!word.starts_with("prior."))
      throw InputError(fmt::format("expected keys of the prior, such as prior.kernel=matern12, found {}", quote(word)));
    parts.push_back(word);
  }
  if (parts.empty()) throw InputError("expected keys of the prior, such as prior.kernel=matern12, found none");
  return parse_overrides(parts);
}

}  // namespace

ExitCode run_evidence(const EvidenceOptions& options) {
  const std::vector<run::Override> common = parse_overrides(options.set);
  std::vector<run::NamedConfig> configs{{"as in the file", run::read_config(options.problem, common)}};
  for (const std::string& text : options.alternatives) {
    std::vector<run::Override> overrides = common;
    std::ranges::copy(read_alternative(text), std::back_inserter(overrides));
    configs.push_back({text, run::read_config(options.problem, overrides)});
  }
  std::optional<StatusLine> status("fitting with each prior");
  const std::vector<run::Evidence> evidence = run::compare_evidence(configs, choose_threads(options.threads));
  status.reset();
  print("{:>12}  {:>18}  {:>6}  {:>11}  prior\n", "ELBO", "log evidence", "k-hat", "probability");
  for (const run::Evidence& one : evidence) {
    if (!one.failure.empty()) {
      print("{}: {}\n", one.name, one.failure);
      continue;
    }
    const std::string corrected =
        one.corrected ? fmt::format("{:.2f} +- {:.2f}", one.corrected->value, one.corrected->error) : "not known";
    print("{:>12.2f}  {:>18}  {:>6}  {:>11.3g}  {}\n", one.bound.value, corrected,
          std::isfinite(one.khat) ? fmt::format("{:.2f}", one.khat) : "-", one.probability, one.name);
  }
  print("{}\n", run::describe_evidence(evidence));
  return success;
}

}  // namespace varimesh::cli
