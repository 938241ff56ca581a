#pragma once

#include <string>
#include <string_view>

namespace varimesh::io {

/// web/dist/report.html as it was when the library was built: a report that lacks its data (docs/report-data.md).
std::string_view report_template();

/// web/dist/document.html: a document with figures that lacks its data (docs/document-data.md).
std::string_view document_template();

/// A template with the data, which are JSON, in their place.
std::string fill_template(std::string_view page, std::string_view data);

}  // namespace varimesh::io
