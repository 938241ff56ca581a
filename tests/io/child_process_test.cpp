#include "varimesh/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>

#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/cancellation.h"

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
    return [bytes] {
      volatile char* memory = new char[bytes];
      memory[0] = 'x';
    };
  };
  EXPECT_NO_THROW(run_in_child(take(16 * megabyte), "", {.bytes = 64 * megabyte}));
  EXPECT_THROW(run_in_child(take(4096 * megabyte), "", {.bytes = 64 * megabyte}), std::bad_alloc);
  EXPECT_INPUT_ERROR(run_in_child(
                         [] {
                           for (const pid_t parent = getppid(); getppid() == parent;) {
                           }
                         },
                         "it took too long", {.seconds = 0}),
                     "it took too long");
}

/// Asks for an end as soon as there is a file.
class OnceThereIs final : public Cancellation {
 public:
  explicit OnceThereIs(std::filesystem::path file) : file_(std::move(file)) {}
  bool requested() const noexcept override {
    std::error_code error;  // it is there before its words are
    const auto size = std::filesystem::file_size(file_, error);
    return !error && size > 0;
  }
  bool expired() const noexcept override { return requested(); }

 private:
  std::filesystem::path file_;
};

TEST(ChildProcess, EndsWhenItsParentIsAskedToEnd) {
  const test::ScratchDirectory directory;
  const OnceThereIs begun(directory.path() / "child");
  const CancellationScope scope({&begun});
  const auto work_forever = [&] {
    directory.write("child", std::to_string(getpid()));
    for (;;) pause();
  };
  EXPECT_THROW(run_in_child(work_forever, "it crashed"), Interrupted);
  EXPECT_EQ(kill(std::stoi(directory.read("child")), 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

}  // namespace
}  // namespace varimesh
