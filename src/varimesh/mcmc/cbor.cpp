#include "varimesh/mcmc/cbor.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "varimesh/error.h"

namespace varimesh::mcmc {
namespace {

/// Walks over CBOR without recursion: the library's reader would descend as deep as the bytes say, past the end of the
/// stack.
class Walker {
 public:
  explicit Walker(std::string_view bytes) : bytes_(bytes) {}

  void walk() {
    std::vector<std::uint64_t> open = {1};  // items that are still to come, at each depth
    while (!open.empty()) {
      if (open.back() == 0) {
        open.pop_back();
        continue;
      }
      --open.back();
      if (const std::uint64_t items = next_item()) open.push_back(items);
      if (open.size() > most_depth) throw InputError("its values are nested too deeply");
    }
    if (!bytes_.empty()) throw InputError("there are bytes behind its end");
  }

 private:
  static constexpr std::size_t most_depth = 8;
  enum Major { integer, negative, binary, text, array, map, tag, other };

  std::uint64_t take(std::size_t count) {
    if (count > bytes_.size()) throw InputError("it is cut off");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes_[i]);
    bytes_.remove_prefix(count);
    return value;
  }

  /// Goes over one item, and says how many it contains.
  std::uint64_t next_item() {
    const std::uint64_t initial = take(1), info = initial & 31;
    const auto major = static_cast<Major>(initial >> 5);
    if (info > 27 || major == tag) throw InputError("it is not the CBOR of a checkpoint");
    const std::uint64_t argument = info < 24 ? info : take(std::size_t{1} << (info - 24));
    if (major != binary && major != text && major != array && major != map) return 0;
    // Every item takes a byte or more.
    if (argument > bytes_.size()) throw InputError("it is cut off");
    if (major == array) return argument;
    if (major == map) return 2 * argument;
    bytes_.remove_prefix(argument);
    return 0;
  }

  std::string_view bytes_;
};

}  // namespace

nlohmann::json parse_cbor(std::string_view bytes) {
  Walker(bytes).walk();
  try {
    return nlohmann::json::from_cbor(bytes);
  } catch (const nlohmann::json::exception&) {
    throw InputError("it is not the CBOR of a checkpoint");
  }
}

}  // namespace varimesh::mcmc
