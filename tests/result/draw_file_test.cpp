#include "varimesh/result/draw_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "../expect_input_error.h"
#include "../file_size_limit.h"
#include "../scratch_directory.h"
#include "varimesh/checksum.h"
#include "varimesh/error.h"
#include "varimesh/random.h"

namespace varimesh::result {
namespace {

namespace fs = std::filesystem;

constexpr Index unknowns = 5, length = record_length(unknowns);
constexpr DrawSource source{.unknowns = unknowns, .seed = 7, .chain = 2, .run = 99};
constexpr DrawSource smaller{.unknowns = 4, .seed = 7, .chain = 2, .run = 99};

std::vector<double> random_records(Index count, std::uint64_t seed = 1) {
  const Vector x = Random(seed).normal_vector(count * length);
  return {x.begin(), x.end()};
}

void append_all(DrawWriter& writer, const std::vector<double>& records) {
  for (std::size_t i = 0; i < records.size(); i += length) writer.append(std::span(records).subspan(i, length));
}

std::vector<double> read_all(const fs::path& file, std::optional<Index> records = std::nullopt) {
  const auto draws = map_draws(file, source, records);
  return {draws->records().begin(), draws->records().end()};
}

/// Of records that are less than a block.
BlockSums sums_of(const std::vector<double>& records) {
  BlockSums sums;
  for (std::size_t i = 0; i < records.size(); i += length) {
    if (sums.empty()) sums.push_back(0);
    sums[0] = checksum(std::as_bytes(std::span(records).subspan(i, length)), sums[0]);
  }
  return sums;
}

class DrawFile : public testing::Test {
 protected:
  test::ScratchDirectory directory_;
  const fs::path file_ = directory_.path() / "chain.draws";
};

TEST_F(DrawFile, IsReadAsItWasWritten) {
  const std::vector<double> records = random_records(30'000);  // several buffers
  DrawWriter writer = DrawWriter::create(file_, source);
  append_all(writer, records);
  writer.sync();
  EXPECT_EQ(read_all(file_), records);
  EXPECT_EQ(read_all(file_, 2), std::vector<double>(records.begin(), records.begin() + 2 * length));
  EXPECT_TRUE(read_all(file_, 0).empty());
  EXPECT_EQ(fs::file_size(file_), draw_file_header + records.size() * sizeof(double));
}

TEST_F(DrawFile, StartsAsDocumented) {
  DrawWriter::create(file_, source);
  const std::string bytes = directory_.read("chain.draws");
  ASSERT_EQ(bytes.size(), 64);
  EXPECT_EQ(bytes.substr(0, 8), "VMDRAWS\n");
  std::uint64_t numbers[7];
  std::memcpy(numbers, bytes.data() + 8, sizeof numbers);
  EXPECT_THAT(numbers, testing::ElementsAre(2, unknowns, num_statistics, 7, 2, 99, testing::_));
}

TEST_F(DrawFile, KeepsWhatWasFlushed) {
  const std::vector<double> records = random_records(3);
  DrawWriter writer = DrawWriter::create(file_, source);
  append_all(writer, records);
  EXPECT_TRUE(read_all(file_).empty());
  writer.flush();
  EXPECT_EQ(read_all(file_), records);
}

TEST_F(DrawFile, IsCutBackToTheRecordsThatCountWhenReopened) {
  const std::vector<double> records = random_records(10);
  {
    DrawWriter writer = DrawWriter::create(file_, source);
    append_all(writer, random_records(6, 2));
    append_all(writer, random_records(2, 3));
    writer.flush();
  }
  for (const Index kept : {8, 4, 4, 0}) {
    std::ofstream(file_, std::ios::app) << "part of a record";
    EXPECT_EQ(read_all(file_).size() % length, 0);
    const std::vector<double> before = read_all(file_, kept);
    DrawWriter writer = DrawWriter::reopen(file_, source, kept, sums_of(before));
    append_all(writer, records);
    writer.flush();
    std::vector<double> expected = before;
    expected.insert(expected.end(), records.begin(), records.end());
    EXPECT_EQ(read_all(file_), expected);
  }
}

TEST_F(DrawFile, ThatIsNotOneIsRefused) {
  const std::string name = file_.string();
  const auto reopen = [&](Index records) { DrawWriter::reopen(file_, source, records, {}); };
  EXPECT_INPUT_ERROR(map_draws(file_, source), "cannot read " + name + ": No such file or directory");
  EXPECT_INPUT_ERROR(reopen(0), "cannot write " + name + ": No such file or directory");
  for (const std::string& content : {std::string(), std::string("VMDRAWS\n"), std::string(1000, 'x')}) {
    directory_.write("chain.draws", content);
    EXPECT_INPUT_ERROR(map_draws(file_, source), name + " is not a file of draws");
    EXPECT_INPUT_ERROR(reopen(0), name + " is not a file of draws");
    EXPECT_EQ(directory_.read("chain.draws"), content);
  }
  fs::remove(file_);
  DrawWriter::create(file_, smaller);
  EXPECT_INPUT_ERROR(map_draws(file_, source),
                     name + " holds draws of 4 unknowns with 7 statistics, expected 5 with 7");
  EXPECT_INPUT_ERROR(map_draws(file_, smaller, 1), name + " holds 0 whole draws, expected 1 or more");
  EXPECT_INPUT_ERROR(DrawWriter::create(file_, smaller), "cannot write " + name + ": File exists");
  std::string bytes = directory_.read("chain.draws");
  bytes[8] = 1;
  directory_.write("chain.draws", bytes);
  EXPECT_INPUT_ERROR(map_draws(file_, smaller),
                     name + " is of version 1, which this varimesh does not read: expected version 2");
  EXPECT_INPUT_ERROR(map_draws(directory_.path(), smaller), directory_.path().string() + " is not a file of draws");
}

TEST_F(DrawFile, OfAnotherRunChainOrSeedIsRefused) {
  DrawWriter::create(file_, source);
  const std::string name = file_.string();
  DrawSource other = source;
  other.chain = 1;
  EXPECT_INPUT_ERROR(map_draws(file_, other),
                     name + " holds draws of chain 2 with seed 7, expected chain 1 with seed 7");
  other = source;
  other.seed = 8;
  EXPECT_INPUT_ERROR(DrawWriter::reopen(file_, other, 0, {}),
                     name + " holds draws of chain 2 with seed 7, expected chain 2 with seed 8");
  other = source;
  other.run = 98;
  EXPECT_INPUT_ERROR(DrawWriter::reopen(file_, other, 0, {}),
                     name + " holds draws of another run, not of the one that its checkpoint is of");
}

TEST_F(DrawFile, WithAnyBitFlippedIsRefusedWhenReopened) {
  constexpr Index count = 4;
  DrawWriter writer = DrawWriter::create(file_, source);
  append_all(writer, random_records(count));
  writer.flush();
  EXPECT_EQ(writer.sums(), sums_of(random_records(count)));
  const std::string whole = directory_.read("chain.draws");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    directory_.write("chain.draws", damaged);
    EXPECT_THROW(DrawWriter::reopen(file_, source, count, writer.sums()), InputError) << "bit " << bit;
  }
  // Records that the checkpoint does not count need not be sound.
  std::string torn = whole;
  torn[whole.size() - 50] ^= 1;
  directory_.write("chain.draws", torn);
  EXPECT_INPUT_ERROR(DrawWriter::reopen(file_, source, count, writer.sums()),
                     file_.string() + " is damaged: draws 1 to 4 do not fit their checksum");
  std::vector<double> fewer = random_records(count);
  fewer.resize((count - 1) * length);
  EXPECT_NO_THROW(DrawWriter::reopen(file_, source, count - 1, sums_of(fewer)));
}

TEST_F(DrawFile, NamesTheBlockThatIsDamaged) {
  const Index block = records_per_block(unknowns), count = 2 * block + 10;
  DrawWriter writer = DrawWriter::create(file_, source);
  append_all(writer, random_records(count));
  writer.flush();
  EXPECT_EQ(writer.sums().size(), 3U);
  EXPECT_NO_THROW(DrawWriter::reopen(file_, source, count, writer.sums()));
  std::string damaged = directory_.read("chain.draws");
  damaged[draw_file_header + static_cast<std::size_t>(block + 1) * length * sizeof(double)] ^= 1;
  directory_.write("chain.draws", damaged);
  EXPECT_INPUT_ERROR(DrawWriter::reopen(file_, source, count, writer.sums()),
                     file_.string() + " is damaged: draws " + std::to_string(block + 1) + " to " +
                         std::to_string(2 * block) + " do not fit their checksum");
}

TEST_F(DrawFile, WithRecordsExchangedOrZeroedIsRefusedWhenReopened) {
  DrawWriter writer = DrawWriter::create(file_, source);
  append_all(writer, random_records(4));
  writer.flush();
  const std::string whole = directory_.read("chain.draws");
  constexpr std::size_t record = length * sizeof(double);
  std::string damaged = whole;
  std::swap_ranges(damaged.begin() + draw_file_header, damaged.begin() + draw_file_header + record,
                   damaged.begin() + draw_file_header + record);
  directory_.write("chain.draws", damaged);
  EXPECT_THROW(DrawWriter::reopen(file_, source, 4, writer.sums()), InputError);
  damaged = whole;
  damaged.replace(draw_file_header + record, 2 * record, 2 * record, '\0');
  directory_.write("chain.draws", damaged);
  EXPECT_THROW(DrawWriter::reopen(file_, source, 4, writer.sums()), InputError);
}

TEST_F(DrawFile, OnAFullDiskKeepsWhatWasThere) {
  const std::vector<double> records = random_records(20);
  DrawWriter writer = DrawWriter::create(file_, source);
  append_all(writer, records);
  writer.flush();
  const std::string name = file_.string();
  {
    const test::FileSizeLimit limit(fs::file_size(file_) + 100);
    append_all(writer, random_records(20, 2));
    EXPECT_INPUT_ERROR(writer.flush(), "cannot write " + name + ": File too large");
  }
  EXPECT_EQ(read_all(file_, 20), records);
  EXPECT_EQ(read_all(file_).size(), 21 * length);
  // When there is space again, nothing is missing.
  writer.flush();
  EXPECT_EQ(read_all(file_).size(), 40 * length);
  EXPECT_EQ(read_all(file_, 20), records);
}

TEST_F(DrawFile, LargerThanMemoryIsMappedNotRead) {
  const DrawSource large{.unknowns = 1000};
  DrawWriter::create(file_, large);
  constexpr Index draws = 1'000'000;
  fs::resize_file(file_, draw_file_header + std::uintmax_t{draws} * record_length(1000) * sizeof(double));  // 8 GB
  const Draws mapped(1000, {map_draws(file_, large)});
  EXPECT_EQ(mapped.num_draws(), draws);
  EXPECT_EQ(mapped.chain(0).col(draws - 1).norm(), 0);
  EXPECT_EQ(mapped.spread(10).norm(), 0);
}

}  // namespace
}  // namespace varimesh::result
