#include "varimesh/run/add_finding.h"

#include <algorithm>

namespace varimesh::run {

void add(result::MethodRecord& record, result::TrustItem::Level level, Looked looked, std::string headline,
         std::string explanation, std::string action) {
  record.trust.push_back({level, std::move(headline), std::move(explanation), std::move(action), looked.kind,
                          std::move(looked.quantity), std::move(looked.numbers)});
}

void add_first(result::MethodRecord& record, result::TrustItem::Level level, Looked looked, std::string headline,
               std::string explanation, std::string action) {
  add(record, level, std::move(looked), std::move(headline), std::move(explanation), std::move(action));
  std::ranges::rotate(record.trust, record.trust.end() - 1);
}

}  // namespace varimesh::run
