#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::io {

/// How numbers stand in a file. In memory they are doubles, which hold all of them that we use.
enum class NetcdfType { int8, int32, int64, float32, float64 };

/// The lengths of a variable's dimensions, the last one running fastest.
using Shape = std::vector<std::size_t>;

class NetcdfFile;

/// A group or a variable: it has attributes, and a name for messages. It must not outlive its file.
class NetcdfObject {
 public:
  /// Sets an attribute; bytes that are not UTF-8 are replaced.
  void set(const std::string& attribute, std::string_view text) const;
  void set(const std::string& attribute, std::uint64_t number) const;
  /// The text of an attribute, if it is there and is text.
  std::optional<std::string> text(const std::string& attribute) const;
  /// The value of an attribute, if it is there and is one number.
  std::optional<double> number(const std::string& attribute) const;
  /// The same of whole numbers from 0 to below 2^64, of which doubles hold some only.
  std::optional<std::uint64_t> whole_number(const std::string& attribute) const;

  /// Throws an InputError with the names of the file and the object.
  [[noreturn]] void fail(std::string_view why) const;

 protected:
  NetcdfObject(const NetcdfFile& file, std::string path, int group, int variable)
      : file_(&file), path_(std::move(path)), group_(group), variable_(variable) {}

  /// Turns what the library returns into an InputError, unless it went well.
  void check(int status) const;
  const NetcdfFile& file() const { return *file_; }
  const std::string& path() const { return path_; }
  int group_id() const { return group_; }
  int variable_id() const { return variable_; }

 private:
  const NetcdfFile* file_;
  std::string path_;
  int group_, variable_;
};

/// An array of numbers.
class NetcdfVariable final : public NetcdfObject {
 public:
  NetcdfVariable(const NetcdfFile& file, std::string path, int group, int variable)
      : NetcdfObject(file, std::move(path), group, variable) {}

  /// Throws InputError for what is not an array of numbers, and for lengths that the file cannot hold.
  Shape shape() const;
  /// How many draws, or whatever the second last of two or three dimensions counts, make about 16 MB.
  std::size_t rows_per_block() const;

  /// All values.
  void write(std::span<const double> values) const;
  void write(const std::vector<Index>& values) const;
  template <int columns>
  void write(const Eigen::Matrix<double, Eigen::Dynamic, columns>& values) const {
    write(std::span(values.data(), static_cast<std::size_t>(values.size())));
  }
  /// Those of a block.
  void write(const Shape& start, const Shape& count, std::span<const double> values) const;

  /// All values; an InputError if the shape is another one.
  Vector read(const Shape& expected) const;
  /// The same, of whole numbers from `begin` to below `end`.
  std::vector<Index> read_indices(const Shape& expected, long long end, long long begin = 0) const;
  /// Those of a block.
  void read(const Shape& start, const Shape& count, std::span<double> values) const;
  /// Throws an InputError unless it has this shape.
  void expect_shape(const Shape& expected) const;
};

/// A group; a file is one, too.
class NetcdfGroup final : public NetcdfObject {
 public:
  NetcdfGroup(const NetcdfFile& file, std::string path, int group);

  NetcdfGroup add_group(const std::string& name) const;
  /// A dimension of length one or more.
  void add_dimension(const std::string& name, std::size_t length) const;
  /// A variable on dimensions of this group or of those around it; large ones are compressed, unless of doubles.
  NetcdfVariable add_variable(const std::string& name, const std::vector<std::string>& dimensions,
                              NetcdfType type = NetcdfType::float64) const;

  std::optional<NetcdfGroup> find_group(const std::string& name) const;
  std::optional<NetcdfVariable> find_variable(const std::string& name) const;
  /// The same, but an InputError says what is missing.
  NetcdfGroup group(const std::string& name) const;
  NetcdfVariable variable(const std::string& name) const;
  /// A variable of text, one for each entry of a dimension of this group, padded by zeros to equal lengths, which have
  /// a dimension of their own.
  void add_texts(const std::string& name, const std::string& dimension, const std::vector<std::string>& texts) const;
  /// So many texts; none if there is no such variable. An InputError if it is another kind of variable.
  std::vector<std::string> find_texts(const std::string& name, std::size_t count) const;
  /// The names of the groups in it, in the order in which they were made.
  std::vector<std::string> group_names() const;

 private:
  std::string path_of(const std::string& name) const;
};

/// A NetCDF-4 file. The library is not made for threads: while there is one, others wait with theirs.
class NetcdfFile {
 public:
  enum class Mode { read, create };

  /// Opens a file for reading, or makes a new one, in place of one that may be there. The library cannot be trusted
  /// with full disks (HDF5 1.10 crashes, when the process ends if not before): let a child process write
  /// (run_in_child).
  NetcdfFile(const std::filesystem::path& file, Mode mode);
  ~NetcdfFile();
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  NetcdfGroup root() const;
  /// Ends the writing of a new file.
  void finish();

  /// Throws an InputError: what the library said of the object at this path.
  [[noreturn]] void fail(const std::string& path, int status) const;
  const std::string& name() const { return name_; }
  std::uintmax_t bytes() const { return bytes_; }

 private:
  void open(const std::filesystem::path& file);

  std::unique_lock<std::mutex> lock_;
  std::string name_;
  Mode mode_;
  std::uintmax_t bytes_ = std::numeric_limits<std::uintmax_t>::max();
  int id_ = -1;
};

}  // namespace varimesh::io
