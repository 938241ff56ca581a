#include "varimesh/run/input_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "expect_input_error.h"
#include "scratch_directory.h"

namespace varimesh::run {
namespace {

TEST(InputFile, IsReadOnceForAllItsCopies) {
  const test::ScratchDirectory directory;
  directory.write("a.csv", "first");
  InputFiles files;
  const InputFile file = files.find(directory.path(), "a.csv"), again = files.find(directory.path(), "./b/../a.csv");
  EXPECT_EQ(*file.bytes(100), "first");
  const auto sum = file.checksum();
  directory.write("a.csv", "second");
  EXPECT_EQ(*again.bytes(100), "first");
  EXPECT_EQ(again.checksum(), sum);
  EXPECT_EQ(files.all().size(), 1U);
  const InputFile other(directory.path() / "a.csv");
  EXPECT_EQ(*other.bytes(100), "second");
  EXPECT_NE(other.checksum(), sum);
}

TEST(InputFile, ChecksumThatIsAskedForFirstReadsTheBytes) {
  const test::ScratchDirectory directory;
  directory.write("a.csv", "first");
  const InputFile file(directory.path() / "a.csv");
  const auto sum = file.checksum();
  directory.write("a.csv", "second");
  EXPECT_EQ(*file.bytes(100), "first");
  EXPECT_EQ(file.checksum(), sum);
}

TEST(InputFile, LargeOnesAreReadAgainAndRefusedIfTheyChanged) {
  const test::ScratchDirectory directory;
  const std::filesystem::path path = directory.path() / "large.msh";
  directory.write("large.msh", "a");
  constexpr std::uintmax_t size = std::uintmax_t{65} << 20;
  std::filesystem::resize_file(path, size);
  const InputFile file(path);
  EXPECT_EQ(file.bytes(size)->size(), size);
  EXPECT_EQ(file.bytes(size)->front(), 'a');
  directory.write("large.msh", "b");
  std::filesystem::resize_file(path, size);
  EXPECT_INPUT_ERROR(file.bytes(size),
                     path.string() + ": expected a file that stays as it is, found one that changed after it was read");
}

TEST(InputFile, OfAPipeHasTheChecksumOfWhatCame) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const InputFile file("/dev/fd/" + std::to_string(ends[0]));
  EXPECT_FALSE(file.checksum());  // not before somebody has read it
  ASSERT_EQ(write(ends[1], "x,value", 7), 7);
  close(ends[1]);
  EXPECT_EQ(*file.bytes(100), "x,value");
  EXPECT_EQ(*file.bytes(100), "x,value");
  EXPECT_TRUE(file.checksum());
  close(ends[0]);
}

TEST(InputFile, ThatIsMissingHasNoChecksum) {
  const test::ScratchDirectory directory;
  const InputFile file(directory.path() / "a.csv");
  EXPECT_FALSE(file.checksum());
  EXPECT_INPUT_ERROR(file.bytes(100),
                     "cannot read " + (directory.path() / "a.csv").string() + ": No such file or directory");
}

}  // namespace
}  // namespace varimesh::run
