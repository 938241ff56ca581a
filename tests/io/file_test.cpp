#include "varimesh/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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

TEST_F(File, CountsTheBytesOfFilesWithoutASize) {
  EXPECT_EQ(message([] { read_file("/dev/zero", 100'000); }), "/dev/zero is larger than the 100000 bytes allowed");
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
