#include "varimesh/directory_names.h"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <new>
#include <string_view>

namespace varimesh {
namespace {

struct Closer {
  void operator()(DIR* directory) const { closedir(directory); }
};

}  // namespace

std::vector<std::string> directory_names(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Closer> open(opendir(directory.empty() ? "." : directory.c_str()));
  if (!open && errno == ENOMEM) throw std::bad_alloc();
  if (!open) return names;
  while (const dirent* entry = readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

}  // namespace varimesh
