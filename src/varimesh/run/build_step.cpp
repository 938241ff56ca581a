#include "varimesh/run/build_step.h"

#include <fmt/format.h>

#include "varimesh/file.h"
#include "varimesh/quote.h"

namespace varimesh::run {

void require_file(const std::filesystem::path& file, const Origin& origin, std::string_view hint) {
  if (!file_exists(file))
    throw InputError(fmt::format("{}: there is no file {}{}", origin, quote(file.string()), hint));
}

}  // namespace varimesh::run
