#include "varimesh/io/report_template.h"

#include "varimesh/embed.h"

namespace varimesh::io {

VARIMESH_EMBED(report_page, VARIMESH_REPORT_PAGE)

std::string_view report_template() { return report_page(); }

}  // namespace varimesh::io
