// Dependencies between the rooms of src/varimesh point one way. This reads every #include and says which does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace varimesh {
namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

const std::string root = "(root)";  // files of src/varimesh itself; every room may include them

/// Which rooms each room may include, besides itself and the root; those of the design that do not exist yet, too.
const std::map<std::string, Rooms> allowed = {
    {root, {}},
    {"linalg", {}},
    {"mesh", {}},
    {"fem", {"linalg", "mesh"}},
    {"gaussian", {"linalg"}},
    {"noise", {"linalg"}},
    {"inverse", {"linalg", "mesh", "fem", "gaussian", "noise"}},
    {"result", {"linalg", "mesh", "gaussian", "noise"}},
    {"diagnostics", {"linalg", "mesh", "gaussian", "noise", "result"}},
    {"variational", {"linalg", "mesh", "gaussian", "noise", "inverse", "diagnostics", "result"}},
    {"hyper", {"linalg", "mesh", "gaussian", "noise", "inverse", "diagnostics", "result", "variational"}},
    {"mcmc", {"linalg", "mesh", "gaussian", "noise", "inverse", "diagnostics", "result"}},
    {"io", {"linalg", "mesh", "gaussian", "noise", "result"}},
    {"run",
     {"linalg", "mesh", "fem", "gaussian", "noise", "inverse", "result", "variational", "mcmc", "diagnostics", "io"}},
    {"umbridge", {"linalg", "mesh", "gaussian", "noise", "inverse"}},
    {"calibration",
     {"linalg", "mesh", "fem", "gaussian", "noise", "inverse", "result", "variational", "mcmc", "diagnostics", "io",
      "run"}},
    {"paper",
     {"linalg", "mesh", "fem", "gaussian", "noise", "inverse", "result", "variational", "mcmc", "diagnostics", "io",
      "run"}},
};

/// The rooms that can be reached from a room by allowed includes, possibly itself.
Rooms reachable(const std::map<std::string, Rooms>& graph, const std::string& from) {
  Rooms found;
  std::vector<std::string> open = {from};
  while (!open.empty()) {
    const std::string room = open.back();
    open.pop_back();
    for (const auto& next : graph.at(room)) {
      if (found.insert(next).second) open.push_back(next);
    }
  }
  return found;
}

/// What is wrong with this line of a room's file; empty if nothing is.
std::string fault(const std::string& room, const std::string& line) {
  static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::smatch match;
  if (!std::regex_search(line, match, include)) return "";
  const bool quoted = match[1] == "\"";
  const std::string path = match[2];
  const bool own = path.starts_with("varimesh/");
  if (own && !quoted) return "write \"" + path + "\" in quotes";
  if (path.find("cli/") != std::string::npos) return "the library must not include cli";
  if (quoted && !own) return "write the path from src, \"varimesh/...\", not \"" + path + "\"";
  if (!own) return "";
  const fs::path relative = fs::path(path).lexically_relative("varimesh");
  const std::string target = relative.has_parent_path() ? relative.begin()->string() : root;
  if (!allowed.contains(target)) return "there is no room '" + target + "'; new rooms are listed in layers_test.cpp";
  if (target == room || target == root || allowed.at(room).contains(target)) return "";
  return "'" + room + "' must not include '" + target + "'";
}

/// Every wrong #include below src/varimesh, as "file:line: what is wrong".
std::vector<std::string> faults(const fs::path& sources) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(sources)) {
    const fs::path relative = entry.path().lexically_relative(sources);
    if (!entry.is_regular_file() || (relative.extension() != ".h" && relative.extension() != ".cpp")) continue;
    const std::string room = relative.has_parent_path() ? relative.begin()->string() : root;
    const auto where = [&](int number) { return entry.path().string() + ":" + std::to_string(number) + ": "; };
    if (!allowed.contains(room)) {
      found.push_back(where(1) + "room '" + room + "' is not listed in layers_test.cpp");
      continue;
    }
    std::ifstream file(entry.path());
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      if (const std::string what = fault(room, line); !what.empty()) found.push_back(where(number) + what);
    }
  }
  return found;
}

TEST(Layers, EveryIncludeOfTheLibraryIsAllowed) {
  const fs::path sources = fs::path(VARIMESH_SOURCE_DIR) / "src" / "varimesh";
  ASSERT_TRUE(fs::is_directory(sources / "linalg"));
  EXPECT_THAT(faults(sources), testing::IsEmpty());
}

TEST(Layers, AllowedIncludesHaveNoCycle) {
  for (const auto& [room, targets] : allowed) {
    for (const auto& target : targets) ASSERT_TRUE(allowed.contains(target)) << room << " -> " << target;
  }
  for (const auto& [room, targets] : allowed) {
    EXPECT_FALSE(reachable(allowed, room).contains(room)) << "'" << room << "' depends on itself";
  }
  EXPECT_TRUE(reachable({{"a", {"b"}}, {"b", {"a"}}}, "a").contains("a"));
}

TEST(Layers, InferenceSeesAPosteriorNotAPde) {
  EXPECT_FALSE(allowed.at("variational").contains("fem"));
  EXPECT_FALSE(allowed.at("mcmc").contains("fem"));
  EXPECT_FALSE(allowed.at("io").contains("run"));
}

class PlantedInclude : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(sources_); }
  void TearDown() override { fs::remove_all(sources_); }

  /// The faults of a tree with this one file, whose second line includes that path.
  std::vector<std::string> faults_of(const std::string& file, const std::string& included) const {
    fs::remove_all(sources_);
    fs::create_directories((sources_ / file).parent_path());
    std::ofstream(sources_ / file) << "#pragma once\n#include " << included << "\n";
    return faults(sources_);
  }

  const fs::path sources_ = fs::path(testing::TempDir()) / ("varimesh_layers_" + std::to_string(getpid()));
};

TEST_F(PlantedInclude, UpwardsIsCaughtWithFileAndLine) {
  const auto found = faults_of("mesh/bad.h", "\"varimesh/fem/element.h\"");
  ASSERT_THAT(found, testing::SizeIs(1));
  EXPECT_THAT(found[0], testing::EndsWith("mesh/bad.h:2: 'mesh' must not include 'fem'"));
}

TEST_F(PlantedInclude, OfForbiddenRoomsIsCaught) {
  EXPECT_THAT(faults_of("bad.h", "\"varimesh/mesh/mesh.h\""), testing::SizeIs(1));
  EXPECT_THAT(faults_of("io/bad.cpp", "\"varimesh/run/config.h\""), testing::SizeIs(1));
  EXPECT_THAT(faults_of("mcmc/bad.h", "\"varimesh/fem/element.h\""), testing::SizeIs(1));
  EXPECT_THAT(faults_of("variational/deep/bad.h", "\"varimesh/fem/element.h\""), testing::SizeIs(1));
  EXPECT_THAT(faults_of("run/bad.cpp", "\"cli/commands.h\""), testing::SizeIs(1));
  EXPECT_THAT(faults_of("run/bad.cpp", "\"../../cli/commands.h\""), testing::SizeIs(1));
}

TEST_F(PlantedInclude, InOtherSpellingsIsCaught) {
  EXPECT_THAT(faults_of("mesh/bad.h", "<varimesh/fem/element.h>"), testing::SizeIs(1));
  EXPECT_THAT(faults_of("mesh/bad.h", "\"../fem/element.h\""), testing::SizeIs(1));
  EXPECT_THAT(faults_of("attic/bad.h", "<vector>"), testing::SizeIs(1));
}

TEST_F(PlantedInclude, OfAllowedRoomsIsNot) {
  EXPECT_THAT(faults_of("fem/good.h", "\"varimesh/mesh/mesh.h\""), testing::IsEmpty());
  EXPECT_THAT(faults_of("mesh/good.h", "\"varimesh/types.h\""), testing::IsEmpty());
  EXPECT_THAT(faults_of("mesh/good.h", "<vector>"), testing::IsEmpty());
}

}  // namespace
}  // namespace varimesh
