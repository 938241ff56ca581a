#include "varimesh/run/build_step.h"

#include <fmt/format.h>

#include "varimesh/file.h"
#include "varimesh/quote.h"

namespace varimesh::run {

void require_file(const InputFile& file, const Origin& origin, std::string_view hint) {
  if (!file_exists(file.path()))
    throw InputError(fmt::format("{}: there is no file {}{}", origin, quote(file.string()), hint));
}

io::CsvTable read_csv(const InputFile& file, const io::IsText& is_text) {
  return io::parse_csv(*file.bytes(io::most_csv_bytes), file.string(), is_text);
}

}  // namespace varimesh::run
