#pragma once

#include <string>
#include <string_view>

namespace varimesh::mesh {

/// Reads numbers, lines and section marks from the bytes of a .msh file, text or binary; every fault is an InputError
/// that names the file and the line (text) or byte (binary). `what` says in messages what was expected.
class GmshScanner {
 public:
  GmshScanner(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  /// From here on integer, size and real are binary, and in foreign byte order if `swapped`.
  void set_binary(bool swapped);
  bool binary() const { return binary_; }

  /// True if only white space is left.
  bool at_end();

  /// The name after the dollar sign of a line that opens a section.
  std::string_view open_section();
  /// Expects the mark that closes a section.
  void close_section(std::string_view section);
  /// Goes on after the mark that closes a section, whatever the section holds.
  void skip_section(std::string_view section);

  /// A number or word of text, in binary files, too.
  long long text_integer(std::string_view what);
  std::string_view word(std::string_view what);
  /// The rest of the current line; the next one begins after it.
  std::string_view rest_of_line();

  /// A number of 4 bytes in binary files.
  int integer(std::string_view what);
  /// A tag: a number of 4 bytes in binary files, of any size in text.
  long long label(std::string_view what);
  /// A number of 8 bytes in binary files that is not negative.
  long long size(std::string_view what);
  /// A number of 8 bytes in binary files.
  double real(std::string_view what);
  /// A finite real.
  double coordinate(std::string_view what);

  /// Least sizes of an item of a list: its bytes in binary files, its numbers in text files.
  struct ItemSize {
    long long bytes, numbers;
  };
  /// Fails if a list of that many items is longer than the rest of the file or than any mesh we read: what is checked
  /// so can be reserved.
  void check_count(long long count, std::string_view what, ItemSize item) const;

  /// Throws an InputError at the place of the last thing read.
  [[noreturn]] void fail(std::string_view message) const;

 private:
  template <class T>
  T raw(std::string_view what);
  template <class T>
  T parse(std::string_view what);
  void skip_space();
  [[noreturn]] void fail_expected(std::string_view what, std::string_view found) const;

  std::string_view bytes_, name_;
  std::size_t position_ = 0, last_ = 0;  ///< of the next byte, and of the last thing read
  bool binary_ = false, swapped_ = false;
};

}  // namespace varimesh::mesh
