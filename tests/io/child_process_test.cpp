#include "varimesh/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <new>
#include <vector>

#include "expect_input_error.h"
#include "scratch_directory.h"

namespace varimesh {
namespace {

TEST(ChildProcess, LeavesItsFilesAndNothingElse) {
  const test::ScratchDirectory directory;
  int number = 1;
  const pid_t parent = getpid();
  run_in_child(
      [&] {
        number = 2;
        directory.write("child", getpid() == parent ? "not a child" : "a child");
      },
      "it crashed");
  EXPECT_EQ(number, 1);
  EXPECT_EQ(directory.read("child"), "a child");
}

TEST(ChildProcess, HandsOnWhatItThrows) {
  EXPECT_INPUT_ERROR(run_in_child([] { throw InputError("a\nlong " + std::string(100'000, 'x')); }, ""),
                     "a\nlong " + std::string(100'000, 'x'));
  EXPECT_THROW(run_in_child([] { throw std::bad_alloc(); }, ""), std::bad_alloc);
}

TEST(ChildProcess, MayCrash) {
  EXPECT_INPUT_ERROR(run_in_child([] { raise(SIGSEGV); }, "it crashed"), "it crashed");
  EXPECT_INPUT_ERROR(run_in_child([] { _exit(0); }, "it crashed"), "it crashed");
  EXPECT_INPUT_ERROR(run_in_child([] { throw 1; }, "it crashed"), "it crashed");
}

TEST(ChildProcess, HasNoMoreMemoryOrTimeThanItIsGiven) {
  constexpr std::size_t megabyte = 1 << 20;
  const auto take = [](std::size_t bytes) {
    return [bytes] { std::vector<char>(bytes, 'x').swap(*new std::vector<char>); };
  };
  EXPECT_NO_THROW(run_in_child(take(16 * megabyte), "", {.bytes = 64 * megabyte}));
  EXPECT_THROW(run_in_child(take(128 * megabyte), "", {.bytes = 64 * megabyte}), std::bad_alloc);
  EXPECT_INPUT_ERROR(run_in_child(
                         [] {
                           for (const pid_t parent = getppid(); getppid() == parent;) {
                           }
                         },
                         "it took too long", {.seconds = 0}),
                     "it took too long");
}

}  // namespace
}  // namespace varimesh
