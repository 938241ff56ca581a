#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "varimesh/result/draws.h"
#include "varimesh/types.h"

namespace varimesh::result {

/// A draw file starts with so many bytes that say what it is: "VMDRAWS\n", then as little-endian 64-bit integers the
/// version, the number of unknowns, the number of statistics, the seed, the chain, the run, and a checksum of what
/// comes before it. The records follow, little-endian doubles.
constexpr std::size_t draw_file_header = 64;

/// Checksums of the records in a draw file, one for each block of so many, the last of which may be shorter: whoever
/// knows how many records count keeps these, too.
using BlockSums = std::vector<std::uint64_t>;
/// A block is about 1 MB.
constexpr Index records_per_block(Index unknowns) { return std::max(1, (1 << 17) / record_length(unknowns)); }

/// What draws are of: those of another chain, seed or run must not be taken for them.
struct DrawSource {
  Index unknowns = 0;
  std::uint64_t seed = 0;
  Index chain = 0;
  std::uint64_t run = 0;  ///< differs between runs of different problems or settings
};

/// An open file, closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  int number() const { return number_; }

 private:
  int number_;
};

/// Appends the records of one chain to a file. What was flushed before a failure stays usable, what was not is lost.
class DrawWriter {
 public:
  /// Begins a new file. Throws InputError if there is one of this name, or it cannot be made.
  static DrawWriter create(const std::filesystem::path& file, const DrawSource& source);
  /// Goes on behind the first `records` of a file, and cuts off what follows: a process that was killed may have
  /// written more than it knew. Throws InputError if this is not a file of these draws, has fewer records, or
  /// these do not fit their checksums.
  static DrawWriter reopen(const std::filesystem::path& file, const DrawSource& source, Index records,
                           const BlockSums& sums);

  /// Throws InputError if the disk is full, say.
  void append(std::span<const double> record);
  /// Hands all records to the system: from then on they survive the end of this process.
  void flush();
  /// The same, and waits until they are on the disk: they survive a loss of power, too.
  void sync();
  /// Of all records.
  const BlockSums& sums() const { return sums_; }

 private:
  DrawWriter(std::filesystem::path file, Descriptor descriptor, const DrawSource& source, Index records);
  /// Reads the first records, and throws InputError unless they fit these checksums.
  void verify(Index records, const BlockSums& expected);
  /// Takes another record into the checksums.
  void count(std::span<const double> record);
  void read(std::span<std::byte> bytes, std::size_t place) const;
  void write(std::span<const std::byte> bytes, std::size_t place) const;

  std::filesystem::path file_;
  Descriptor descriptor_;
  std::size_t record_length_;
  Index block_length_;  ///< in records
  Index records_ = 0;   ///< that the checksums are of
  BlockSums sums_;
  std::size_t end_;  ///< of the file, in bytes
  std::vector<double> buffer_;
};

/// The first `records` of a draw file, all whole ones unless given, mapped read-only: the system pages them in as they
/// are read. Throws InputError if this is not a file of these draws, or has fewer
/// records.
std::shared_ptr<const ChainDraws> map_draws(const std::filesystem::path& file, const DrawSource& source,
                                            std::optional<Index> records = std::nullopt);

}  // namespace varimesh::result
