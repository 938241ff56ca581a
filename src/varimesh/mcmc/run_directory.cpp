#include "varimesh/mcmc/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/file_stream.h"

namespace varimesh::mcmc {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = "lock";

/// The files in a directory whose names begin and end like this.
std::vector<fs::path> find_files(const fs::path& directory, std::string_view begin, std::string_view end) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), last; !error && entry != last; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end)) found.push_back(entry->path());
  }
  return found;
}

bool holds_chains(const fs::path& directory) {
  return !find_files(directory, "chain_", ".checkpoint").empty() || !find_files(directory, "chain_", ".draws").empty();
}

/// Makes the directory if a run may begin there, and locks it.
result::Descriptor lock(const fs::path& directory, bool resume) {
  const fs::path file = directory / lock_name;
  // A run that was killed before its first checkpoint has left no more than the directory, empty or with its lock.
  if (resume && !file_exists(directory))
    throw InputError(fmt::format("{} holds no chains that could be resumed", directory.string()));
  ensure_directory(directory);
  result::Descriptor descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  const bool locked = descriptor.number() >= 0 && flock(descriptor.number(), LOCK_EX | LOCK_NB) == 0;
  if (!locked && errno == EWOULDBLOCK) throw InputError(fmt::format("another run is using {}", directory.string()));
  if (!locked) throw InputError(fmt::format("cannot write {}: {}", file.string(), reason(errno)));
  return descriptor;
}

}  // namespace

RunDirectory::RunDirectory(fs::path directory, bool resume)
    : directory_(std::move(directory)), lock_(lock(directory_, resume)) {
  if (!resume && holds_chains(directory_))
    throw InputError(
        fmt::format("{} already holds chains: resume them, or give another directory", directory_.string()));
  // Checkpoints that a killed process had not finished.
  std::error_code ignored;
  for (const fs::path& file : find_files(directory_, ".chain_", ".tmp")) fs::remove(file, ignored);
}

fs::path RunDirectory::draws(Index chain) const { return directory_ / fmt::format("chain_{}.draws", chain); }
fs::path RunDirectory::checkpoint(Index chain) const { return directory_ / fmt::format("chain_{}.checkpoint", chain); }

}  // namespace varimesh::mcmc
