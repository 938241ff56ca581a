#include "varimesh/io/report_template.h"

#include <cstddef>

// The assembler copies the file into the library: compilers take long over arrays of this size. Hidden, for other
// libraries in the process may hold another version.
asm(".pushsection .rodata\n"
    ".hidden varimesh_report_page\n"
    ".hidden varimesh_report_page_end\n"
    ".global varimesh_report_page\n"
    ".global varimesh_report_page_end\n"
    "varimesh_report_page:\n"
    ".incbin \"" VARIMESH_REPORT_PAGE
    "\"\n"
    "varimesh_report_page_end:\n"
    ".popsection\n");

extern "C" {
[[gnu::visibility("hidden")]] extern const char varimesh_report_page[];
[[gnu::visibility("hidden")]] extern const char varimesh_report_page_end[];
}

namespace varimesh::io {

std::string_view report_template() {
  return {varimesh_report_page, static_cast<std::size_t>(varimesh_report_page_end - varimesh_report_page)};
}

}  // namespace varimesh::io
