#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace varimesh::paper {

using Json = nlohmann::ordered_json;

enum class Verdict { holds, part, fails };
constexpr const char* verdict_names[] = {"holds", "part", "fails"};
constexpr const char* name(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

/// A finding of the paper, and what we find.
struct Claim {
  std::string claim;
  std::string paper, ours;  ///< evidence
  Verdict verdict = Verdict::fails;
  std::string why;                   ///< what is missing or differs; may be empty
  std::vector<std::string> figures;  ///< anchors of figures and tables that show it
};

/// What one experiment says of one of the paper's seven concluding claims.
struct Evidence {
  int conclusion = 1;  ///< which of the seven, in the paper's order
  std::string ours;    ///< a clause that begins with the experiment: "Poisson 1D: ..."
  Verdict verdict = Verdict::fails;
  std::vector<std::string> figures;
};

/// What an experiment adds to the document: a section, and rows of the tables of claims.
struct Chapter {
  std::string id, title;
  std::vector<Json> blocks;  ///< docs/document-data.md
  std::vector<Claim> claims;
  std::vector<Evidence> evidence;
  std::map<std::string, Json> meshes;
};

}  // namespace varimesh::paper
