// docs/problem-file.md cannot drift from the code: it has every key and every word that the program reads, and no
// others.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace varimesh {
namespace {

namespace fs = std::filesystem;
using Words = std::set<std::string>;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Words matches(const std::string& text, const std::regex& pattern) {
  Words found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

/// The words in quotes in every call of this function: allow({"kind", "cells"}).
Words arguments(const std::string& code, const std::string& function) {
  Words words;
  const std::regex call(function + R"re(\(\s*\{([^}]*)\})re");
  for (const std::string& list : matches(code, call)) words.merge(matches(list, std::regex(R"re("([^"]+)")re")));
  return words;
}

std::string code() {
  std::string text;
  for (const auto& entry : fs::directory_iterator(fs::path(VARIMESH_SOURCE_DIR) / "src/varimesh/run"))
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h") text += read(entry.path());
  return text;
}

const std::string page = read(fs::path(VARIMESH_SOURCE_DIR) / "docs/problem-file.md");

TEST(ProblemFileReference, HasEveryKeyThatTheProgramReads) {
  Words keys = arguments(code(), "allow");
  keys.merge(Words{"dirichlet", "neumann", "flux", "log_flux"});  // read_either
  ASSERT_TRUE(keys.contains("length_scale") && keys.contains("max_depth")) << "the code is not read as expected";
  for (const std::string& key : keys) {
    const bool found = std::regex_search(page, std::regex("[`\\[.{ ]" + key + "(`|\\]| =|\\.| *$)"));
    EXPECT_TRUE(found) << "docs/problem-file.md does not mention the key " << key;
  }
}

TEST(ProblemFileReference, HasEveryWordThatTheProgramTakes) {
  Words words = arguments(code(), "choice");
  for (const std::string& list : matches(code(), std::regex(R"re((?:method_names\[\]|words) = \{([^}]*)\})re")))
    words.merge(matches(list, std::regex(R"re("([^"]+)")re")));
  for (const char* word : {"matern52", "pcn", "refined_fit"})
    ASSERT_TRUE(words.contains(word)) << "the code is not read as expected";
  for (const std::string& word : words)
    EXPECT_TRUE(page.find("`" + word + "`") != std::string::npos || page.find("\"" + word + "\"") != std::string::npos)
        << "docs/problem-file.md does not mention the word " << word;
}

TEST(ProblemFileReference, HasNoKeyThatTheProgramDoesNotRead) {
  const std::string source = code();
  // The first column of every table: keys, kinds of priors, methods.
  for (const std::string& cell : matches(page, std::regex(R"re(\n\| (`[^|]*) \|)re"))) {
    for (const std::string& key : matches(cell, std::regex("`([^`]+)`")))
      EXPECT_TRUE(source.find("\"" + key + "\"") != std::string::npos)
          << "docs/problem-file.md explains '" << key << "', which the program does not read";
  }
}

}  // namespace
}  // namespace varimesh
