#pragma once

#include <string_view>

namespace varimesh::io {

/// web/dist/report.html as it was when the library was built: a report that lacks its data (docs/report-data.md).
std::string_view report_template();

}  // namespace varimesh::io
