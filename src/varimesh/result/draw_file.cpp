#include "varimesh/result/draw_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "varimesh/checksum.h"
#include "varimesh/error.h"
#include "varimesh/file_stream.h"

namespace varimesh::result {
namespace {

static_assert(std::endian::native == std::endian::little, "draw files are little-endian");

constexpr std::string_view magic = "VMDRAWS\n";
constexpr std::uint64_t version = 2;
/// Numbers that are gathered before they are written.
constexpr std::size_t buffer_length = std::size_t{1} << 17;

struct Header {
  std::array<char, 8> magic;
  std::uint64_t version, unknowns, statistics, seed, chain, run, checksum;
};
static_assert(sizeof(Header) == draw_file_header);

std::uint64_t checksum_of(const Header& header) {
  return checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum)));
}

Header header_for(const DrawSource& source) {
  Header header{.magic = {},
                .version = version,
                .unknowns = static_cast<std::uint64_t>(source.unknowns),
                .statistics = num_statistics,
                .seed = source.seed,
                .chain = static_cast<std::uint64_t>(source.chain),
                .run = source.run,
                .checksum = 0};
  magic.copy(header.magic.data(), magic.size());
  header.checksum = checksum_of(header);
  return header;
}

[[noreturn]] void fail(const char* what, const std::filesystem::path& file, int code) {
  throw InputError(fmt::format("cannot {} {}: {}", what, file.string(), reason(code)));
}

std::size_t record_bytes(Index unknowns) { return static_cast<std::size_t>(record_length(unknowns)) * sizeof(double); }

void require_source(const std::filesystem::path& file, const Header& header, const DrawSource& source) {
  if (header.version != version)
    throw InputError(fmt::format("{} is of version {}, which this varimesh does not read: expected version {}",
                                 file.string(), header.version, version));
  if (header.checksum != checksum_of(header))
    throw InputError(fmt::format("{} is damaged: its header does not fit its checksum", file.string()));
  if (header.unknowns != static_cast<std::uint64_t>(source.unknowns) || header.statistics != num_statistics)
    throw InputError(fmt::format("{} holds draws of {} unknowns with {} statistics, expected {} with {}", file.string(),
                                 header.unknowns, header.statistics, source.unknowns, num_statistics));
  if (header.seed != source.seed || header.chain != static_cast<std::uint64_t>(source.chain))
    throw InputError(fmt::format("{} holds draws of chain {} with seed {}, expected chain {} with seed {}",
                                 file.string(), header.chain, header.seed, source.chain, source.seed));
  if (header.run != source.run)
    throw InputError(
        fmt::format("{} holds draws of another run, not of the one that its checkpoint is of", file.string()));
}

/// How many whole records there are. Throws InputError if it is not a file of these draws.
Index count_records(const std::filesystem::path& file, int descriptor, const DrawSource& source) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0) fail("read", file, errno);
  Header header{};
  const bool whole = S_ISREG(status.st_mode) && pread(descriptor, &header, sizeof header, 0) == sizeof header;
  if (!whole || std::string_view(header.magic.data(), header.magic.size()) != magic)
    throw InputError(fmt::format("{} is not a file of draws", file.string()));
  require_source(file, header, source);
  const std::size_t count =
      (static_cast<std::size_t>(status.st_size) - draw_file_header) / record_bytes(source.unknowns);
  if (count > std::numeric_limits<Index>::max())
    throw InputError(fmt::format("{} holds too many draws: {}", file.string(), count));
  return static_cast<Index>(count);
}

void require_records(const std::filesystem::path& file, Index found, Index expected) {
  if (found < expected)
    throw InputError(fmt::format("{} holds {} whole draws, expected {} or more", file.string(), found, expected));
}

class MappedDraws final : public ChainDraws {
 public:
  MappedDraws(void* begin, std::size_t bytes) : begin_(begin), bytes_(bytes) {}
  MappedDraws(const MappedDraws&) = delete;
  MappedDraws& operator=(const MappedDraws&) = delete;
  ~MappedDraws() override { munmap(begin_, bytes_); }

  std::span<const double> records() const override {
    const auto* numbers = static_cast<const double*>(begin_);
    return {numbers + draw_file_header / sizeof(double), (bytes_ - draw_file_header) / sizeof(double)};
  }

 private:
  void* begin_;
  std::size_t bytes_;
};

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

DrawWriter::DrawWriter(std::filesystem::path file, Descriptor descriptor, const DrawSource& source, Index records)
    : file_(std::move(file)),
      descriptor_(std::move(descriptor)),
      record_length_(static_cast<std::size_t>(record_length(source.unknowns))),
      block_length_(records_per_block(source.unknowns)),
      end_(draw_file_header + static_cast<std::size_t>(records) * record_bytes(source.unknowns)) {}

DrawWriter DrawWriter::create(const std::filesystem::path& file, const DrawSource& source) {
  Descriptor descriptor(uninterrupted([&] { return open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
  if (descriptor.number() < 0) fail("write", file, errno);
  DrawWriter writer(file, std::move(descriptor), source, 0);
  const Header header = header_for(source);
  writer.write(std::as_bytes(std::span(&header, 1)), 0);
  return writer;
}

DrawWriter DrawWriter::reopen(const std::filesystem::path& file, const DrawSource& source, Index records,
                              const BlockSums& sums) {
  // Nor does it wait for a pipe.
  Descriptor descriptor(uninterrupted([&] { return open(file.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK); }));
  if (descriptor.number() < 0) fail("write", file, errno);
  require_records(file, count_records(file, descriptor.number(), source), records);
  DrawWriter writer(file, std::move(descriptor), source, records);
  writer.verify(records, sums);
  const auto cut = [&] { return ftruncate(writer.descriptor_.number(), static_cast<off_t>(writer.end_)); };
  if (uninterrupted(cut) != 0) fail("write", file, errno);
  return writer;
}

void DrawWriter::verify(Index records, const BlockSums& expected) {
  std::vector<double> block;
  for (Index first = 0; first < records; first += block_length_) {
    const Index end = std::min(records, first + block_length_);
    block.resize(static_cast<std::size_t>(end - first) * record_length_);
    read(std::as_writable_bytes(std::span(block)),
         draw_file_header + static_cast<std::size_t>(first) * record_length_ * sizeof(double));
    for (std::size_t i = 0; i < block.size(); i += record_length_) count(std::span(block).subspan(i, record_length_));
    if (sums_.size() > expected.size() || sums_.back() != expected[sums_.size() - 1])
      throw InputError(
          fmt::format("{} is damaged: draws {} to {} do not fit their checksum", file_.string(), first + 1, end));
  }
}

void DrawWriter::count(std::span<const double> record) {
  if (records_++ % block_length_ == 0) sums_.push_back(0);
  sums_.back() = checksum(std::as_bytes(record), sums_.back());
}

void DrawWriter::read(std::span<std::byte> bytes, std::size_t place) const {
  while (!bytes.empty()) {
    const ssize_t count = pread(descriptor_.number(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("read", file_, count < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    place += static_cast<std::size_t>(count);
  }
}

void DrawWriter::write(std::span<const std::byte> bytes, std::size_t place) const {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(descriptor_.number(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("write", file_, count < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    place += static_cast<std::size_t>(count);
  }
}

void DrawWriter::append(std::span<const double> record) {
  if (record.size() != record_length_)
    throw InputError(fmt::format("expected a record of {} numbers, found {}", record_length_, record.size()));
  buffer_.insert(buffer_.end(), record.begin(), record.end());
  count(record);
  if (buffer_.size() >= buffer_length) flush();
}

void DrawWriter::flush() {
  const auto bytes = std::as_bytes(std::span(buffer_));
  write(bytes, end_);
  end_ += bytes.size();
  buffer_.clear();
}

void DrawWriter::sync() {
  flush();
  if (uninterrupted([&] { return fdatasync(descriptor_.number()); }) != 0) fail("write", file_, errno);
}

std::shared_ptr<const ChainDraws> map_draws(const std::filesystem::path& file, const DrawSource& source,
                                            std::optional<Index> records) {
  const Descriptor descriptor(uninterrupted([&] { return open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (descriptor.number() < 0) fail("read", file, errno);
  const Index found = count_records(file, descriptor.number(), source);
  require_records(file, found, records.value_or(0));
  const std::size_t bytes =
      draw_file_header + static_cast<std::size_t>(records.value_or(found)) * record_bytes(source.unknowns);
  void* begin = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor.number(), 0);
  if (begin == MAP_FAILED) fail("read", file, errno);
  madvise(begin, bytes, MADV_DONTDUMP);  // a crash need not copy the whole file; no harm if it cannot be had
  return std::make_shared<MappedDraws>(begin, bytes);
}

}  // namespace varimesh::result
