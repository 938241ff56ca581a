#pragma once

#include "varimesh/result/method_record.h"

namespace varimesh::run {

/// What a finding looked at, which quantity it concerns (empty: all of the answer), and the numbers behind it.
struct Looked {
  result::TrustItem::Kind kind;
  std::string quantity = {};
  std::vector<std::pair<std::string, double>> numbers = {};
};

/// A finding at the end of the list, or at its head.
void add(result::MethodRecord& record, result::TrustItem::Level level, Looked looked, std::string headline,
         std::string explanation, std::string action = "");
void add_first(result::MethodRecord& record, result::TrustItem::Level level, Looked looked, std::string headline,
               std::string explanation, std::string action = "");

}  // namespace varimesh::run
