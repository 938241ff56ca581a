#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "varimesh/file.h"

namespace varimesh {

/// Files that are written beside where they belong, and get their names together at the end. What had these names stays
/// until then, and for good if that is never reached.
class PendingFiles {
 public:
  explicit PendingFiles(Durable durable) : durable_(durable) {}
  ~PendingFiles();
  PendingFiles(const PendingFiles&) = delete;
  PendingFiles& operator=(const PendingFiles&) = delete;

  /// Writes a file under another name. Throws InputError if it cannot. Others of that kind that a killed process has
  /// left behind are removed.
  void add(const std::filesystem::path& file, std::string_view bytes);
  /// The same for who writes to a given path.
  void add(const std::filesystem::path& file, const std::function<void(const std::filesystem::path&)>& write);
  /// Names them, in the order in which they came.
  void commit();

 private:
  struct Pending {
    std::filesystem::path temporary, target;
  };

  const std::filesystem::path& begin(const std::filesystem::path& file);

  Durable durable_;
  std::vector<Pending> pending_;
};

/// Whether a name is one that a PendingFiles gives to a file until it has that of `file`.
bool is_pending_name(std::string_view name, std::string_view file);

}  // namespace varimesh
