#include "varimesh/run/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <system_error>

#include "varimesh/checksum.h"
#include "varimesh/error.h"
#include "varimesh/file.h"

namespace varimesh::run {
namespace {

constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;

}  // namespace

struct InputFile::Content {
  std::filesystem::path path;
  std::mutex mutex = {};
  std::optional<std::uint64_t> checksum = {};
  std::shared_ptr<const std::string> kept = {};
};

InputFile::InputFile(std::filesystem::path path) : content_(std::make_shared<Content>(std::move(path))) {}

const std::filesystem::path& InputFile::path() const { return content_->path; }

std::shared_ptr<const std::string> InputFile::bytes(std::uintmax_t most_bytes) const {
  const std::scoped_lock lock(content_->mutex);
  if (content_->kept) return content_->kept;
  auto bytes = std::make_shared<const std::string>(read_file(path(), most_bytes));
  const std::uint64_t sum = varimesh::checksum(std::as_bytes(std::span(*bytes)));
  if (content_->checksum && *content_->checksum != sum)
    throw InputError(
        fmt::format("{}: expected a file that stays as it is, found one that changed after it was read", string()));
  content_->checksum = sum;
  if (bytes->size() <= most_kept_bytes) content_->kept = bytes;
  return bytes;
}

std::optional<std::uint64_t> InputFile::checksum() const {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 40;
  const auto known = [&] {
    const std::scoped_lock lock(content_->mutex);
    return content_->checksum;
  };
  if (const auto sum = known()) return sum;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path(), ignored)) return std::nullopt;
  bytes(most_bytes);
  return known();
}

InputFile InputFiles::find(const std::filesystem::path& directory, std::string_view path) {
  const std::filesystem::path whole = (directory / path).lexically_normal();
  const auto found = std::ranges::find(files_, whole, &InputFile::path);
  return found != files_.end() ? *found : files_.emplace_back(whole);
}

}  // namespace varimesh::run
