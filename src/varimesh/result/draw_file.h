#pragma once

#include <cstddef>
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
/// version, the number of unknowns and the number of statistics; zeros fill it up. The records follow, little-endian
/// doubles.
constexpr std::size_t draw_file_header = 64;

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
  static DrawWriter create(const std::filesystem::path& file, Index unknowns);
  /// Goes on behind the first `records` of a file, and cuts off what follows: a process that was killed may have
  /// written more than it knew. Throws InputError if this is not a file of so many unknowns, or has fewer records.
  static DrawWriter reopen(const std::filesystem::path& file, Index unknowns, Index records);

  /// Throws InputError if the disk is full, say.
  void append(std::span<const double> record);
  /// Hands all records to the system: from then on they survive the end of this process.
  void flush();
  /// The same, and waits until they are on the disk: they survive a loss of power, too.
  void sync();

 private:
  DrawWriter(std::filesystem::path file, Descriptor descriptor, Index unknowns, Index records);
  void write(std::span<const std::byte> bytes, std::size_t place) const;

  std::filesystem::path file_;
  Descriptor descriptor_;
  std::size_t record_length_;
  std::size_t end_;  ///< of the file, in bytes
  std::vector<double> buffer_;
};

/// The first `records` of a draw file, all whole ones unless given, mapped read-only: the system pages them in as they
/// are read. Throws InputError if this is not a draw file of so many unknowns, or has fewer records.
std::shared_ptr<const ChainDraws> map_draws(const std::filesystem::path& file, Index unknowns,
                                            std::optional<Index> records = std::nullopt);

}  // namespace varimesh::result
