#include "varimesh/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "varimesh/error.h"

namespace varimesh {
namespace {

/// A directory of its own for each test, removed at the end.
class File : public testing::Test {
 protected:
  File() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::path(testing::TempDir()) / (std::string("varimesh_file_") + info->name());
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  ~File() override { std::filesystem::remove_all(directory_); }

  std::size_t num_files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory_), {}));
  }
  template <class Action>
  static std::string message(Action action) {
    try {
      action();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path directory_;
};

TEST_F(File, ReadsBackTheBytesItWrote) {
  std::string bytes = "text\r\n";
  for (int i = 0; i < 200'000; ++i) bytes.push_back(static_cast<char>(i * 31));
  write_file(directory_ / "a", bytes);
  EXPECT_EQ(read_file(directory_ / "a", bytes.size()), bytes);
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(File, ReplacesAFileThatIsThere) {
  write_file(directory_ / "a", "the old and longer text");
  write_file(directory_ / "a", "new");
  EXPECT_EQ(read_file(directory_ / "a", 100), "new");
}

TEST_F(File, ReadsAnEmptyFile) {
  write_file(directory_ / "a", "");
  EXPECT_EQ(read_file(directory_ / "a", 0), "");
}

TEST_F(File, SaysThatAFileIsTooLarge) {
  write_file(directory_ / "a", "12345");
  EXPECT_EQ(message([&] { read_file(directory_ / "a", 4); }),
            (directory_ / "a").string() + " is larger than the 4 bytes allowed");
}

TEST_F(File, CountsTheBytesOfPipesThatAreOpen) {
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "12345", 5), 5);
  close(ends[1]);
  const std::string name = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(message([&] { read_file(name, 4); }), name + " is larger than the 4 bytes allowed");
  close(ends[0]);
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "12345", 5), 5);
  close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0]), 5), "12345");
  close(ends[0]);
}

TEST_F(File, OtherPipesAndDevicesAreRefusedWithoutWaitingForThem) {
  ASSERT_EQ(mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(message([&] { read_file(directory_ / "pipe", 4); }),
            (directory_ / "pipe").string() + " is a pipe or device, expected a file");
  EXPECT_EQ(message([] { read_file("/dev/zero", 100'000); }), "/dev/zero is a pipe or device, expected a file");
}

TEST_F(File, WritingRemovesWhatKilledProcessesLeftAndNothingElse) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const auto name = [&](const std::string& file, pid_t process) {
    return directory_ / ("." + file + "." + std::to_string(process) + "-0.tmp");
  };
  for (const auto& file : {name("a", gone), name("a", getppid()), name("b", gone), directory_ / ".a.notes.tmp"})
    std::ofstream(file) << "x";
  write_file(directory_ / "a", "new");
  EXPECT_FALSE(std::filesystem::exists(name("a", gone)));
  EXPECT_TRUE(std::filesystem::exists(name("a", getppid())));
  EXPECT_TRUE(std::filesystem::exists(name("b", gone)));
  EXPECT_TRUE(std::filesystem::exists(directory_ / ".a.notes.tmp"));
}

TEST_F(File, SaysThatAFileIsMissing) {
  EXPECT_EQ(message([&] { read_file(directory_ / "b", 4); }),
            "cannot read " + (directory_ / "b").string() + ": No such file or directory");
}

TEST_F(File, SaysThatADirectoryIsNoFile) {
  EXPECT_EQ(message([&] { read_file(directory_, 4); }), directory_.string() + " is a directory, expected a file");
}

TEST_F(File, LeavesNothingBehindWhenWritingFails) {
  std::filesystem::create_directory(directory_ / "taken");
  EXPECT_THAT(message([&] { write_file(directory_ / "taken", "x"); }),
              testing::StartsWith("cannot write " + (directory_ / "taken").string() + ": "));
  EXPECT_EQ(num_files(), 1u);
  EXPECT_EQ(message([&] { write_file(directory_ / "no" / "where", "x"); }),
            "cannot write " + (directory_ / "no" / "where").string() + ": No such file or directory");
}

TEST_F(File, SeveralFilesAppearTogetherOrNotAtAll) {
  EXPECT_EQ(message([&] { write_files({{directory_ / "a", "1"}, {directory_ / "no" / "b", "2"}}); }),
            "cannot write " + (directory_ / "no" / "b").string() + ": No such file or directory");
  EXPECT_EQ(num_files(), 0u);
  write_files({{directory_ / "a", "1"}, {directory_ / "b", "2"}});
  EXPECT_EQ(read_file(directory_ / "b", 1), "2");
}

TEST_F(File, LinksAreFollowedAndSpecialFilesRefused) {
  write_file(directory_ / "real", "old");
  std::filesystem::create_symlink(directory_ / "real", directory_ / "link");
  write_file(directory_ / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory_ / "link"));
  EXPECT_EQ(read_file(directory_ / "real", 3), "new");
  ASSERT_EQ(mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(message([&] { write_file(directory_ / "pipe", "x"); }),
            "cannot write " + (directory_ / "pipe").string() + ": it exists and is not a regular file");
}

}  // namespace
}  // namespace varimesh
