// docs/own-model.md shows a program; examples/own_solver has it, where it is compiled and run.
#include <gtest/gtest.h>

#include <filesystem>

#include "varimesh/file.h"

namespace varimesh {
namespace {

TEST(OwnModelPage, ShowsTheProgramThatIsCompiled) {
  const std::filesystem::path root = VARIMESH_SOURCE_DIR;
  const std::string page = read_file(root / "docs/own-model.md", 1 << 20);
  const std::string program = read_file(root / "examples/own_solver/minimal.cpp", 1 << 20);
  // The first line says what the page is called after.
  EXPECT_NE(page.find("```cpp\n" + program.substr(program.find('\n') + 1) + "```"), std::string::npos);
}

}  // namespace
}  // namespace varimesh
