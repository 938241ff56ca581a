// In which order results reach the disk: here are the system's functions that the library calls for it, with a log.
#include "varimesh/run/result_directory.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "records.h"
#include "scratch_directory.h"
#include "varimesh/error.h"

namespace {

std::vector<std::string>* steps = nullptr;  // "fsync /a/b", while somebody wants to know

void note(const std::string& what, const std::string& path) {
  if (steps) steps->push_back(what + " " + path);
}

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int fsync(int descriptor) {
  if (steps) note("fsync", std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)));
  return original<int(int)>("fsync")(descriptor);
}
extern "C" int rename(const char* from, const char* to) noexcept {
  note("rename", std::string(from) + " " + to);
  return original<int(const char*, const char*)>("rename")(from, to);
}
extern "C" int remove(const char* path) noexcept {
  if (access(path, F_OK) == 0 && !std::filesystem::is_directory(path)) note("remove", path);
  return original<int(const char*)>("remove")(path);
}

namespace varimesh::run {
namespace {

/// The steps of writing a result.
std::vector<std::string> steps_of_writing(const std::filesystem::path& directory, const result::ProblemRecord& problem,
                                          const result::MethodRecord& method) {
  std::vector<std::string> found;
  steps = &found;
  write_result(directory, problem, method);
  steps = nullptr;
  return found;
}

TEST(ResultDirectory, IsOnTheDiskBeforeItTakesThePlaceOfAnother) {
  const test::ScratchDirectory scratch;
  const std::string directory = scratch.path();
  const auto problem = test::sample_problem(1);
  const auto method = test::sample_chains(problem);
  write_result(directory, problem, method);
  const std::vector<std::string> found = steps_of_writing(directory, problem, method);

  const auto place = [&](const std::string& step) { return std::find(found.begin(), found.end(), step); };
  int renamed = 0;
  for (auto step = found.begin(); step != found.end(); ++step) {
    EXPECT_FALSE(step->starts_with("remove")) << *step;  // all are replaced
    if (!step->starts_with("rename ")) continue;
    const std::string from = step->substr(7, step->rfind(' ') - 7);
    EXPECT_LT(place("fsync " + from), step) << *step;
    EXPECT_NE(std::find(step, found.end(), "fsync " + std::filesystem::path(from).parent_path().string()), found.end());
    ++renamed;
  }
  EXPECT_GE(renamed, 5);
  // The summary is the last, when the names of all others will last.
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found.back(), "fsync " + directory);
  EXPECT_TRUE(found[found.size() - 2].ends_with("/summary.json")) << found[found.size() - 2];
  EXPECT_TRUE(found[found.size() - 3].starts_with("fsync " + directory)) << found[found.size() - 3];
}

TEST(ResultDirectory, KeepsTheEarlierResultIfTheNewOneCannotBeWritten) {
  const test::ScratchDirectory scratch;
  const auto problem = test::sample_problem(1);
  const auto method = test::sample_chains(problem);
  write_result(scratch.path(), problem, method);
  const std::string posterior = scratch.read("posterior.nc");
  std::filesystem::remove(scratch.path() / "fields.pvd");
  std::filesystem::create_directory(scratch.path() / "fields.pvd");
  EXPECT_THROW(write_result(scratch.path(), problem, test::sample_fit(problem, test::SampleFamily::diagonal)),
               InputError);
  EXPECT_TRUE(scratch.read("posterior.nc") == posterior);
  EXPECT_EQ(read_result(scratch.path()).method.method, "nuts");
}

TEST(ResultDirectory, LeavesNothingOfTheEarlierResult) {
  const test::ScratchDirectory scratch;
  const auto problem = test::sample_problem(1);
  auto method = test::sample_chains(problem);
  write_result(scratch.path(), problem, method);
  EXPECT_GT(scratch.list().size(), 1U);
  method = {};
  method.method = "nuts";
  write_result(scratch.path(), problem, method);
  EXPECT_EQ(scratch.list(), std::vector<std::string>{"summary.json"});
}

}  // namespace
}  // namespace varimesh::run
