#include "varimesh/run/result_directory.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/io/fields_file.h"
#include "varimesh/io/kappa_file.h"
#include "varimesh/io/posterior_file.h"
#include "varimesh/io/summary_file.h"
#include "varimesh/run/method_config.h"

namespace varimesh::run {
namespace {

constexpr std::uintmax_t most_summary_bytes = std::uintmax_t{64} << 20;

/// What write_result writes, summary.json first: without it the rest is no result.
void remove_files(const std::filesystem::path& directory) {
  std::error_code ignored;
  for (const char* name : {"summary.json", "posterior.nc", "kappa.csv", "fields.vtu", "fields.pvd", "sensors.vtu"})
    std::filesystem::remove(directory / name, ignored);
  for (const auto& entry : std::filesystem::directory_iterator(directory / "draws", ignored)) {
    if (entry.path().extension() == ".vtu") std::filesystem::remove(entry.path(), ignored);
  }
  std::filesystem::remove(directory / "draws", ignored);
}

}  // namespace

void write_result(const std::filesystem::path& directory, const result::ProblemRecord& problem,
                  const result::MethodRecord& method) {
  ensure_directory(directory);
  remove_files(directory);
  if (method.has_answer()) {
    io::write_posterior(directory / "posterior.nc", problem, method);
    write_file(directory / "kappa.csv", io::format_kappa(problem, method));
    std::vector<FileContent> files = io::format_fields(problem, method);
    for (FileContent& file : files) {
      file.file = directory / file.file;
      ensure_directory(file.file.parent_path());
    }
    write_files(files);
  }
  write_file(directory / "summary.json", io::format_summary(problem, method));
}

void remove_result(const std::filesystem::path& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) return;
  remove_files(directory);
  for (const auto& entry : std::filesystem::directory_iterator(directory / "chains", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("chain_") || name == "lock") std::filesystem::remove(entry.path(), ignored);
  }
  std::filesystem::remove(directory / "chains", ignored);
  std::filesystem::remove(directory, ignored);  // unless somebody keeps something in it
}

StoredResult read_result(const std::filesystem::path& directory) {
  StoredResult stored;
  const std::filesystem::path summary = directory / "summary.json", posterior = directory / "posterior.nc";
  io::parse_summary(read_file(summary, most_summary_bytes), summary.string(), stored.problem, stored.method);
  if (file_exists(posterior)) io::read_posterior(posterior, stored.problem, stored.method);
  return stored;
}

bool holds_result(const std::filesystem::path& directory) { return file_exists(directory / "summary.json"); }

std::vector<std::filesystem::path> find_results(const std::filesystem::path& directory) {
  if (holds_result(directory)) return {directory};
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.is_directory(error) && holds_result(entry.path())) found.push_back(entry.path());
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
