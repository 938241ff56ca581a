#include "varimesh/paper/document.h"

#include <gmock/gmock.h>

namespace varimesh::paper {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Chapter chapter_with(std::vector<Evidence> evidence) {
  Chapter chapter;
  chapter.id = "some";
  chapter.title = "Some experiment";
  chapter.evidence = std::move(evidence);
  return chapter;
}

TEST(Document, AConclusionHoldsOnlyIfItHoldsInAllExperiments) {
  const std::vector<Chapter> chapters = {
      chapter_with(
          {{1, "A: yes.", Verdict::holds, {}}, {2, "A: yes.", Verdict::holds, {}}, {4, "A: no.", Verdict::fails, {}}}),
      chapter_with(
          {{1, "B: yes.", Verdict::holds, {}}, {2, "B: no.", Verdict::fails, {}}, {4, "B: no.", Verdict::fails, {}}})};
  const std::vector<Claim> claims = judge_conclusions(chapters);
  ASSERT_THAT(claims, SizeIs(3));  // of those without evidence nothing is said
  EXPECT_EQ(claims[0].verdict, Verdict::holds);
  EXPECT_EQ(claims[0].ours, "A: yes. B: yes.");
  EXPECT_EQ(claims[0].why, "");
  EXPECT_EQ(claims[1].verdict, Verdict::part);
  EXPECT_EQ(claims[1].why, "A: holds; B: no.");
  EXPECT_EQ(claims[2].verdict, Verdict::fails);
}

TEST(Document, IsAPageWithNumberedFiguresAndSafeText) {
  Chapter chapter = chapter_with({{7, "Some: yes.", Verdict::holds, {}}});
  chapter.claims = {{"A claim of </script> kind", "theirs", "ours", Verdict::part, "why", {"figure-a"}}};
  const Json panel = {{"kind", "text"}, {"text", "nothing"}};
  for (const char* id : {"figure-a", "figure-b"})
    chapter.blocks.push_back(
        {{"type", "figure"}, {"id", id}, {"title", id}, {"caption", ""}, {"panels", {Json::array({panel})}}});
  const std::string page = format_document({chapter}, {"A summary."}, {"1.2.3", "2026-01-01", "varimesh reproduce"});
  EXPECT_THAT(page, HasSubstr("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("Figure 1: figure-a"));
  EXPECT_THAT(page, HasSubstr("Figure 2: figure-b"));
  EXPECT_THAT(page, HasSubstr("A claim of \\u003c/script> kind"));
  EXPECT_EQ(page.find("@VARIMESH_REPORT_DATA@"), std::string::npos);
}

TEST(Document, VerdictsFitATerminal) {
  Chapter chapter = chapter_with({{1, "Some: yes.", Verdict::holds, {}}});
  chapter.claims = {{"A finding.", "", "", Verdict::fails, "", {}}};
  EXPECT_EQ(format_verdicts({chapter}),
            "The paper's conclusions\n"
            "  holds    The mean of the variational posterior is an accurate point estimate, whatever the covariance "
            "structure.\n"
            "Some experiment\n"
            "  no       A finding.\n");
}

}  // namespace
}  // namespace varimesh::paper
