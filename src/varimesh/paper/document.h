#pragma once

#include <string>
#include <vector>

#include "varimesh/io/report.h"
#include "varimesh/paper/chapter.h"

namespace varimesh::paper {

/// The chapters as one page that needs no other file: the seven conclusions of the paper and every captioned finding
/// with verdicts, then the figures and tables. `summary` says how it came about, a paragraph each.
std::string format_document(const std::vector<Chapter>& chapters, const std::vector<std::string>& summary,
                            const io::ReportOrigin& origin);

/// The claims as a table to read in a terminal.
std::string format_verdicts(const std::vector<Chapter>& chapters);

/// One of the seven conclusions with what all chapters say of it: it holds if it holds in all of them, and fails if it
/// holds in none, not even in part.
std::vector<Claim> judge_conclusions(const std::vector<Chapter>& chapters);

}  // namespace varimesh::paper
