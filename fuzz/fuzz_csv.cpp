#include <cstddef>
#include <cstdint>
#include <string_view>

#include "varimesh/error.h"
#include "varimesh/io/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto table = varimesh::io::parse_csv(text, "fuzz.csv");
    if (table.values.front().size() != table.num_rows()) __builtin_trap();
    const auto again = varimesh::io::parse_csv(varimesh::io::format_csv(table.columns, table.values), "again.csv");
    if (again.values != table.values) __builtin_trap();
  } catch (const varimesh::InputError&) {
  }
  return 0;
}
