#include "varimesh/paper/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/io/page_templates.h"

namespace varimesh::paper {
namespace {

/// What the paper concludes, in short, and what it bases it on.
struct Conclusion {
  const char *claim, *evidence;
};
constexpr Conclusion conclusions[] = {
    {"The mean of the variational posterior is an accurate point estimate, whatever the covariance structure.",
     "Bars of mean errors, means in figures, one data set each."},
    {"With a full covariance or a sparse precision matrix VB adequately estimates the uncertainty, compared to HMC and "
     "pCN.",
     "Bands and maps of standard deviations, by eye."},
    {"A sparse precision matrix balances computational cost and captured dependence.",
     "Times of PMVB between those of MFVB and FCVB in 1D, near FCVB's in 2D; precision matrices."},
    {"VB gives good means and variances an order of magnitude faster than HMC or pCN.", "Tables 1 and 2, in hours."},
    {"The multivariate normal family is flexible enough to capture the true posterior with high accuracy.",
     "Comparisons with HMC and pCN by eye."},
    {"VB estimates can be used in downstream tasks, for quantities of interest.",
     "Densities of the log boundary flux."},
    {"VB is flexible enough to model multimodal posteriors.", "The bimodal example."},
};

const char* in_words(Verdict verdict) {
  constexpr const char* words[] = {"holds", "in part", "no"};
  return words[static_cast<std::size_t>(verdict)];
}

Json encode(const Claim& claim) {
  Json row = {{"claim", claim.claim}, {"paper", claim.paper}, {"ours", claim.ours}, {"verdict", name(claim.verdict)}};
  if (!claim.why.empty()) row["why"] = claim.why;
  if (!claim.figures.empty()) row["figure"] = claim.figures;
  return row;
}

Json encode(const std::vector<Claim>& claims, const std::string& title) {
  Json rows = Json::array();
  for (const Claim& claim : claims) rows.push_back(encode(claim));
  return {{"type", "claims"}, {"title", title}, {"rows", rows}};
}

}  // namespace

std::vector<Claim> judge_conclusions(const std::vector<Chapter>& chapters) {
  std::vector<Claim> claims;
  for (int number = 1; const Conclusion& conclusion : conclusions) {
    Claim claim{conclusion.claim, conclusion.evidence, "", Verdict::fails, "", {}};
    std::vector<Verdict> verdicts;
    for (const Chapter& chapter : chapters) {
      for (const Evidence& evidence : chapter.evidence) {
        if (evidence.conclusion != number) continue;
        verdicts.push_back(evidence.verdict);
        if (!claim.ours.empty()) claim.ours += " ";
        claim.ours += evidence.ours;
        claim.why += fmt::format("{}{}: {}", claim.why.empty() ? "" : "; ",
                                 evidence.ours.substr(0, evidence.ours.find(':')), in_words(evidence.verdict));
        claim.figures.insert(claim.figures.end(), evidence.figures.begin(), evidence.figures.end());
      }
    }
    ++number;
    if (verdicts.empty()) continue;  // its experiment was not run
    const auto all = [&](Verdict verdict) { return std::ranges::count(verdicts, verdict) == std::ssize(verdicts); };
    claim.verdict = Verdict::part;
    if (all(Verdict::holds)) claim.verdict = Verdict::holds;
    if (all(Verdict::fails)) claim.verdict = Verdict::fails;
    claim.why = verdicts.size() > 1 && claim.verdict == Verdict::part ? claim.why + "." : "";
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::string format_document(const std::vector<Chapter>& chapters, const std::vector<std::string>& summary,
                            const io::ReportOrigin& origin) {
  Json sections = Json::array(), meshes = Json::object(), findings = Json::array();
  findings.push_back(encode(judge_conclusions(chapters), "The paper's conclusions"));
  for (const Chapter& chapter : chapters) findings.push_back(encode(chapter.claims, "Findings: " + chapter.title));
  sections.push_back({{"id", "claims"}, {"title", "Claims and verdicts"}, {"blocks", findings}});
  for (int number = 1; const Chapter& chapter : chapters) {
    Json blocks = chapter.blocks;
    for (Json& block : blocks) {
      if (block["type"] == "figure")
        block["title"] = fmt::format("Figure {}: {}", number++, std::string(block["title"]));
    }
    sections.push_back({{"id", chapter.id}, {"title", chapter.title}, {"blocks", std::move(blocks)}});
    for (const auto& [mesh, data] : chapter.meshes) meshes[mesh] = data;
  }
  const Json document = {
      {"schema", 1},
      {"kind", "document"},
      {"title", "Variational Bayesian approximation of inverse problems using sparse precision matrices: reproduced"},
      {"summary", summary},
      {"generator", {{"version", origin.version}, {"date", origin.date}, {"command", origin.command}}},
      {"meshes", meshes},
      {"sections", sections}};
  return io::fill_template(io::document_template(), document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string format_verdicts(const std::vector<Chapter>& chapters) {
  std::string text;
  const auto add = [&](const std::string& title, const std::vector<Claim>& claims) {
    if (claims.empty()) return;
    text += title + "\n";
    for (const Claim& claim : claims) text += fmt::format("  {:<8} {}\n", in_words(claim.verdict), claim.claim);
  };
  add("The paper's conclusions", judge_conclusions(chapters));
  for (const Chapter& chapter : chapters) add(chapter.title, chapter.claims);
  return text;
}

}  // namespace varimesh::paper
