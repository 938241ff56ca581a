#include "varimesh/run/result_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "varimesh/cancellation.h"
#include "varimesh/directory_names.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/io/fields_file.h"
#include "varimesh/io/kappa_file.h"
#include "varimesh/io/posterior_file.h"
#include "varimesh/io/summary_file.h"
#include "varimesh/pending_files.h"
#include "varimesh/run/method_config.h"

namespace varimesh::run {
namespace {

constexpr std::uintmax_t most_summary_bytes = std::uintmax_t{64} << 20;

constexpr std::string_view file_names[] = {"summary.json", "posterior.nc", "kappa.csv",
                                           "fields.vtu",   "fields.pvd",   "sensors.vtu"};

/// Removes what write_result writes but for some, summary.json first: without it the rest is no result.
void remove_files(const std::filesystem::path& directory, const std::set<std::filesystem::path>& but) {
  std::error_code ignored;
  const auto remove = [&](const std::filesystem::path& file) {
    if (!but.contains(file)) std::filesystem::remove(file, ignored);
  };
  for (const std::string_view name : file_names) remove(directory / name);
  for (const std::string& name : directory_names(directory / "draws")) {
    if (name.ends_with(".vtu")) remove(directory / "draws" / name);
  }
  std::filesystem::remove(directory / "draws", ignored);  // unless there are some
}

/// Removes what a process that was killed had not finished.
void remove_pending(const std::filesystem::path& directory) {
  std::error_code ignored;
  for (const auto& place : {directory, directory / "draws"}) {
    for (const std::string& name : directory_names(place)) {
      const bool pending =
          name.starts_with(".draw-") || std::any_of(std::begin(file_names), std::end(file_names),
                                                    [&](auto file) { return is_pending_name(name, file); });
      if (pending) std::filesystem::remove(place / name, ignored);
    }
  }
}

}  // namespace

void write_result(const std::filesystem::path& directory, const result::ProblemRecord& problem,
                  const result::MethodRecord& method, const Listening& to) {
  const CancellationScope scope(to);
  ensure_directory(directory);
  remove_pending(directory);
  PendingFiles files(Durable::yes), summary(Durable::yes);
  std::set<std::filesystem::path> names = {directory / "summary.json"};
  const auto add = [&](const std::filesystem::path& file, std::string_view bytes) {
    files.add(file, bytes);
    names.insert(file);
  };
  if (method.has_answer()) {
    const std::filesystem::path posterior = directory / "posterior.nc";
    io::add_posterior(files, posterior, problem, method);
    names.insert(posterior);
    throw_if_interrupted();
    add(directory / "kappa.csv", io::format_kappa(problem, method));
    for (const FileContent& file : io::format_fields(problem, method)) {
      ensure_directory((directory / file.file).parent_path());
      add(directory / file.file, file.bytes);
    }
  }
  summary.add(directory / "summary.json", io::format_summary(problem, method));
  files.commit();
  remove_files(directory, names);  // of an earlier result
  summary.commit();
}

void remove_result(const std::filesystem::path& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) return;
  remove_pending(directory);
  remove_files(directory, {});
  for (const std::string& name : directory_names(directory / "chains")) {
    if (name.starts_with("chain_") || name == "lock") std::filesystem::remove(directory / "chains" / name, ignored);
  }
  std::filesystem::remove(directory / "chains", ignored);
  std::filesystem::remove(directory, ignored);  // unless somebody keeps something in it
}

StoredResult read_result(const std::filesystem::path& directory) {
  StoredResult stored;
  const std::filesystem::path summary = directory / "summary.json", posterior = directory / "posterior.nc";
  const result::ProblemSizes sizes =
      io::parse_summary(read_file(summary, most_summary_bytes), summary.string(), stored.problem, stored.method);
  if (file_exists(posterior)) io::read_posterior(posterior, stored.problem, stored.method, sizes);
  return stored;
}

std::optional<StoredResult> find_result(const std::filesystem::path& directory) {
  if (!holds_result(directory)) return std::nullopt;
  StoredResult stored;
  const std::filesystem::path summary = directory / "summary.json", posterior = directory / "posterior.nc";
  const std::string text = read_file(summary, most_summary_bytes);
  if (!nlohmann::json::accept(text)) return std::nullopt;
  // Whole, so that what it says counts, such as that another version is needed.
  const result::ProblemSizes sizes = io::parse_summary(text, summary.string(), stored.problem, stored.method);
  try {
    if (file_exists(posterior)) io::read_posterior(posterior, stored.problem, stored.method, sizes);
  } catch (const InputError&) {
    return std::nullopt;
  }
  return stored;
}

bool holds_result(const std::filesystem::path& directory) { return file_exists(directory / "summary.json"); }

std::vector<std::filesystem::path> find_results(const std::filesystem::path& directory) {
  if (holds_result(directory)) return {directory};
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const std::string& name : directory_names(directory)) {
    const std::filesystem::path entry = directory / name;
    if (std::filesystem::is_directory(entry, error) && holds_result(entry)) found.push_back(entry);
  }
  // As methods are listed elsewhere, what is called otherwise last.
  const auto place = [](const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return std::pair(std::find(std::begin(method_names), std::end(method_names), name) - std::begin(method_names),
                     name);
  };
  std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  if (found.empty())
    throw InputError(fmt::format(
        "{}: expected a directory of results, as 'varimesh run' makes it, found no summary.json", directory.string()));
  return found;
}

}  // namespace varimesh::run
