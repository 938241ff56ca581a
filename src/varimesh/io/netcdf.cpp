#include "varimesh/io/netcdf.h"

#include <H5Epublic.h>
#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "varimesh/blocked_signals.h"
#include "varimesh/error.h"
#include "varimesh/file_stream.h"

namespace varimesh::io {
namespace {

constexpr std::size_t compressed_from = 1 << 16;  // bytes: below, the bookkeeping of chunks costs more than it saves
constexpr std::size_t chunk_numbers = 1 << 17;    // 1 MB of doubles
constexpr std::size_t block_numbers = 1 << 21;
constexpr std::size_t longest_text = 1 << 20;
// Deflate packs up to 1032 to 1, but whole files of measurements and draws never. Small arrays may.
constexpr std::uintmax_t best_compression = 64, always_bytes = 1 << 24;
constexpr std::array signature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

struct TypeInfo {
  nc_type id;
  std::size_t bytes;
};
TypeInfo info(NetcdfType type) {
  constexpr TypeInfo infos[] = {{NC_BYTE, 1}, {NC_INT, 4}, {NC_INT64, 8}, {NC_FLOAT, 4}, {NC_DOUBLE, 8}};
  return infos[static_cast<std::size_t>(type)];
}

bool is_number(nc_type type) { return type == NC_BYTE || (type >= NC_SHORT && type <= NC_UINT64 && type != NC_CHAR); }

/// Saturates at the largest number there is.
std::size_t product(const Shape& shape) {
  std::size_t numbers = 1;
  for (const std::size_t length : shape) {
    if (length != 0 && numbers > std::numeric_limits<std::size_t>::max() / length)
      return std::numeric_limits<std::size_t>::max();
    numbers *= length;
  }
  return numbers;
}

/// Blocks of about equal sides, a single one in the first of three dimensions, so that one draw of all unknowns and one
/// unknown of all draws are both quick to read.
Shape chunks(Shape shape) {
  if (shape.size() == 3) shape.front() = 1;
  while (product(shape) > chunk_numbers) {
    auto& longest = *std::ranges::max_element(shape);
    longest = (longest + 1) / 2;
  }
  return shape;
}

std::string format_shape(const Shape& shape) {
  return shape.empty() ? "1" : fmt::format("{}", fmt::join(shape, " x "));
}

/// The bytes of the character that a text begins with, or 0 if that is not UTF-8.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Neither longer than needed, nor a surrogate, nor beyond the last character.
  const unsigned second = byte(1);
  const bool excluded = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return excluded ? 0 : length;
}

std::string make_utf8(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    clean += length == 0 ? "\xef\xbf\xbd" : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

}  // namespace

void NetcdfObject::check(int status) const {
  if (status != NC_NOERR) file_->fail(path_, status);
}

void NetcdfObject::fail(std::string_view why) const {
  throw InputError(fmt::format("{}: {}: {}", file_->name(), path_.empty() ? "/" : path_, why));
}

void NetcdfObject::set(const std::string& attribute, std::string_view text) const {
  const std::string clean = make_utf8(text);
  if (!clean.empty()) check(nc_put_att_text(group_, variable_, attribute.c_str(), clean.size(), clean.data()));
}

void NetcdfObject::set(const std::string& attribute, std::uint64_t number) const {
  const unsigned long long value = number;
  check(nc_put_att_ulonglong(group_, variable_, attribute.c_str(), NC_UINT64, 1, &value));
}

std::optional<std::string> NetcdfObject::text(const std::string& attribute) const {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(group_, variable_, attribute.c_str(), &type, &length) != NC_NOERR) return std::nullopt;
  if (type != NC_CHAR || length > longest_text) return std::nullopt;
  std::string text(length, '\0');
  check(nc_get_att_text(group_, variable_, attribute.c_str(), text.data()));
  return text;
}

std::optional<double> NetcdfObject::number(const std::string& attribute) const {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(group_, variable_, attribute.c_str(), &type, &length) != NC_NOERR) return std::nullopt;
  if (!is_number(type) || length != 1) return std::nullopt;
  double number = 0;
  check(nc_get_att_double(group_, variable_, attribute.c_str(), &number));
  return number;
}

std::optional<std::uint64_t> NetcdfObject::whole_number(const std::string& attribute) const {
  const std::optional<double> about = number(attribute);
  if (!about || *about < 0) return std::nullopt;
  unsigned long long number = 0;
  check(nc_get_att_ulonglong(group_, variable_, attribute.c_str(), &number));
  return number;
}

Shape NetcdfVariable::shape() const {
  nc_type type = NC_NAT;
  int rank = 0;
  check(nc_inq_var(group_id(), variable_id(), nullptr, &type, &rank, nullptr, nullptr));
  if (!is_number(type) || rank > 3) fail("expected an array of numbers with at most 3 dimensions");
  std::array<int, 3> dimensions = {};
  check(nc_inq_vardimid(group_id(), variable_id(), dimensions.data()));
  Shape shape(static_cast<std::size_t>(rank));
  for (std::size_t i = 0; i < shape.size(); ++i) check(nc_inq_dimlen(group_id(), dimensions[i], &shape[i]));
  // Numbers that a file of its size may hold: it need not have any of an array that was declared only.
  std::size_t type_bytes = 0;
  check(nc_inq_type(group_id(), type, nullptr, &type_bytes));
  int is_packed = 0;
  check(nc_inq_var_deflate(group_id(), variable_id(), nullptr, &is_packed, nullptr));
  const std::uintmax_t bytes = file().bytes();
  const std::uintmax_t most_bytes =
      is_packed == 0 || bytes > std::numeric_limits<std::uintmax_t>::max() / best_compression
          ? bytes
          : std::max(best_compression * bytes, always_bytes);
  const auto most = static_cast<std::size_t>(
      std::min<std::uintmax_t>(most_bytes / std::max<std::size_t>(type_bytes, 1), std::numeric_limits<Index>::max()));
  const std::size_t numbers = product(shape);
  if (numbers == 0 || numbers > most)
    fail(fmt::format("expected from 1 to {} numbers in a file of this size, found {}", most, format_shape(shape)));
  return shape;
}

std::size_t NetcdfVariable::rows_per_block() const {
  const Shape lengths = shape();
  const std::size_t row = lengths.back(), rows = lengths[lengths.size() - 2];
  // Whole chunks, because a part of one would have to be read and unpacked again.
  const std::size_t chunk = chunks(lengths)[lengths.size() - 2];
  return std::min(std::max<std::size_t>(block_numbers / row / chunk, 1) * chunk, rows);
}

void NetcdfVariable::write(std::span<const double> values) const {
  const Shape lengths = shape();
  write(Shape(lengths.size(), 0), lengths, values);
}

void NetcdfVariable::write(const std::vector<Index>& values) const {
  const std::vector<double> numbers(values.begin(), values.end());
  write(numbers);
}

void NetcdfVariable::write(const Shape& start, const Shape& count, std::span<const double> values) const {
  if (values.size() != product(count))
    fail(fmt::format("expected {} numbers to write, found {}", format_shape(count), values.size()));
  const int status = nc_put_vara_double(group_id(), variable_id(), start.data(), count.data(), values.data());
  // A number too large for a float becomes infinite, which is as good.
  if (status != NC_ERANGE) check(status);
}

Vector NetcdfVariable::read(const Shape& expected) const {
  expect_shape(expected);
  Vector values(static_cast<Eigen::Index>(product(expected)));
  read(Shape(expected.size(), 0), expected, {values.data(), product(expected)});
  return values;
}

std::vector<Index> NetcdfVariable::read_indices(const Shape& expected, long long end, long long begin) const {
  const Vector values = read(expected);
  std::vector<Index> indices;
  indices.reserve(static_cast<std::size_t>(values.size()));
  for (const double value : values) {
    if (!(value >= static_cast<double>(begin) && value < static_cast<double>(end) && value == std::floor(value)))
      fail(fmt::format("expected whole numbers from {} to {}, found {}", begin, end - 1, value));
    indices.push_back(static_cast<Index>(value));
  }
  return indices;
}

void NetcdfVariable::read(const Shape& start, const Shape& count, std::span<double> values) const {
  check(nc_get_vara_double(group_id(), variable_id(), start.data(), count.data(), values.data()));
}

void NetcdfVariable::expect_shape(const Shape& expected) const {
  const Shape found = shape();
  if (found != expected) {
    fail(fmt::format("expected an array of {} numbers, found {}", format_shape(expected), format_shape(found)));
  }
}

NetcdfGroup::NetcdfGroup(const NetcdfFile& file, std::string path, int group)
    : NetcdfObject(file, std::move(path), group, NC_GLOBAL) {}

std::string NetcdfGroup::path_of(const std::string& name) const { return path().empty() ? name : path() + "/" + name; }

NetcdfGroup NetcdfGroup::add_group(const std::string& name) const {
  int group = 0;
  check(nc_def_grp(group_id(), name.c_str(), &group));
  return {file(), path_of(name), group};
}

void NetcdfGroup::add_dimension(const std::string& name, std::size_t length) const {
  if (length == 0) fail(fmt::format("expected dimension {} to have a length of 1 or more", name));
  int ignored = 0;
  check(nc_def_dim(group_id(), name.c_str(), length, &ignored));
}

NetcdfVariable NetcdfGroup::add_variable(const std::string& name, const std::vector<std::string>& dimensions,
                                         NetcdfType type) const {
  std::vector<int> ids;
  Shape shape;
  for (const std::string& dimension : dimensions) {
    check(nc_inq_dimid(group_id(), dimension.c_str(), &ids.emplace_back()));
    check(nc_inq_dimlen(group_id(), ids.back(), &shape.emplace_back()));
  }
  int variable = 0;
  check(nc_def_var(group_id(), name.c_str(), info(type).id, static_cast<int>(ids.size()), ids.data(), &variable));
  // Every number is going to be written.
  check(nc_def_var_fill(group_id(), variable, NC_NOFILL, nullptr));
  // Most bits of doubles are noise: to save an eighth of them would take 30 times as long as to write them.
  if (type != NetcdfType::float64 && product(shape) * info(type).bytes > compressed_from) {
    check(nc_def_var_chunking(group_id(), variable, NC_CHUNKED, chunks(shape).data()));
    check(nc_def_var_deflate(group_id(), variable, 1, 1, 1));
  }
  return {file(), path_of(name), group_id(), variable};
}

std::optional<NetcdfGroup> NetcdfGroup::find_group(const std::string& name) const {
  int group = 0;
  if (nc_inq_grp_ncid(group_id(), name.c_str(), &group) != NC_NOERR) return std::nullopt;
  return NetcdfGroup(file(), path_of(name), group);
}

std::optional<NetcdfVariable> NetcdfGroup::find_variable(const std::string& name) const {
  int variable = 0;
  if (nc_inq_varid(group_id(), name.c_str(), &variable) != NC_NOERR) return std::nullopt;
  return NetcdfVariable(file(), path_of(name), group_id(), variable);
}

NetcdfGroup NetcdfGroup::group(const std::string& name) const {
  if (const auto found = find_group(name)) return *found;
  fail(fmt::format("expected a group {}, found none", name));
}

NetcdfVariable NetcdfGroup::variable(const std::string& name) const {
  if (const auto found = find_variable(name)) return *found;
  fail(fmt::format("expected a variable {}, found none", name));
}

std::vector<std::string> NetcdfGroup::group_names() const {
  int count = 0;
  check(nc_inq_grps(group_id(), &count, nullptr));
  std::vector<int> ids(static_cast<std::size_t>(count));
  check(nc_inq_grps(group_id(), nullptr, ids.data()));
  std::vector<std::string> names;
  for (const int id : ids) {
    std::string name(NC_MAX_NAME + 1, '\0');
    check(nc_inq_grpname(id, name.data()));
    names.emplace_back(name.c_str());
  }
  return names;
}

NetcdfFile::NetcdfFile(const std::filesystem::path& file, Mode mode)
    : lock_(library_mutex()), name_(file.string()), mode_(mode) {
  // NetCDF asks for things that may not be there, and silences HDF5's complaints about it in the first thread only.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const BlockedSignals blocked;  // HDF5 takes an interrupted open for a failed one
  if (mode == Mode::read) {
    open(file);
  } else if (const int status = nc_create(std::filesystem::absolute(file).c_str(), NC_NETCDF4 | NC_CLOBBER, &id_)) {
    fail("", status);
  }
}

void NetcdfFile::open(const std::filesystem::path& file) {
  // The library says little about files of another kind, and reads many kinds with code that we need not trust.
  std::error_code error;
  bytes_ = std::filesystem::file_size(file, error);
  if (error) throw InputError(fmt::format("cannot read {}: {}", name_, error.message()));
  std::array<char, signature.size()> start = {};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  if (start != signature) throw InputError(fmt::format("{} is not a NetCDF-4 file", name_));
  // An absolute path is never taken for an address on the network.
  if (const int status = nc_open(std::filesystem::absolute(file).c_str(), NC_NOWRITE, &id_)) fail("", status);
}

NetcdfFile::~NetcdfFile() {
  const BlockedSignals blocked;
  if (id_ >= 0) nc_abort(id_);
}

NetcdfGroup NetcdfFile::root() const { return {*this, "", id_}; }

void NetcdfFile::finish() {
  const BlockedSignals blocked;
  if (const int status = nc_close(std::exchange(id_, -1))) fail("", status);
}

void NetcdfFile::fail(const std::string& path, int status) const {
  // The library keeps what the system said to itself.
  if (status == NC_EHDFERR && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO))
    throw InputError(fmt::format("cannot {} {}: {}", mode_ == Mode::read ? "read" : "write", name_, reason(errno)));
  throw InputError(fmt::format("cannot {} {}{}{}: {}", mode_ == Mode::read ? "read" : "write", name_,
                               path.empty() ? "" : ": ", path, nc_strerror(status)));
}

}  // namespace varimesh::io
