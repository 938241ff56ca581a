#include "varimesh/mcmc/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "varimesh/checksum.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/mcmc/cbor.h"
#include "varimesh/mcmc/json_fields.h"
#include "varimesh/mcmc/state_codec.h"
#include "varimesh/quote.h"

namespace varimesh::mcmc {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

constexpr std::string_view magic = "VMCHAIN\n";
constexpr std::size_t header_length = magic.size() + sizeof(std::uint64_t);
constexpr Index version = 3;
constexpr std::uintmax_t max_bytes = std::uintmax_t{16} << 30;

const char* name(KernelKind kernel) {
  switch (kernel) {
    case KernelKind::nuts:
      return "nuts";
    case KernelKind::hmc:
      return "hmc";
    case KernelKind::pcn:
      return "pcn";
    case KernelKind::random_walk:
      return "random_walk";
  }
  return "";
}

const char* name(ScaleKind scale) {
  switch (scale) {
    case ScaleKind::diagonal:
      return "diagonal";
    case ScaleKind::dense:
      return "dense";
    case ScaleKind::sparse:
      return "sparse";
  }
  return "";
}

template <class T>
json or_none(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

std::uint64_t checksum_of(const Vector& x, std::uint64_t seed) {
  return checksum(std::as_bytes(std::span(x.data(), static_cast<std::size_t>(x.size()))), seed);
}

/// Of the mean, and of what the root does to a random vector.
std::uint64_t checksum_of(const gaussian::Gaussian& gaussian) {
  Matrix probe = Random(1).normal_vector(gaussian.size());
  gaussian.multiply_root(probe);
  return checksum_of(probe, checksum_of(gaussian.mean(), 0));
}

std::uint64_t checksum_of(const linalg::CliqueTree& tree) {
  std::uint64_t sum = checksum(std::as_bytes(std::span(tree.order())));
  for (Index c = 0; c < tree.num_cliques(); ++c) {
    const auto clique = tree.clique(c);
    const Index sizes[] = {clique.first, clique.columns, clique.rows, clique.parent};
    sum = checksum(std::as_bytes(clique.members), checksum(std::as_bytes(std::span(sizes)), sum));
  }
  return sum;
}

std::uint64_t whole_number(const json& value, const char* key) {
  if (!value.is_number_unsigned()) throw InputError(fmt::format("expected whole numbers as '{}'", key));
  return value.get<std::uint64_t>();
}

DrawsState decode_draws(const json& value, Index records, Index unknowns) {
  const json& sums = field(value, "checksums");
  const Index block = result::records_per_block(unknowns);
  const auto expected = static_cast<std::size_t>((static_cast<long long>(records) + block - 1) / block);
  if (!sums.is_array() || sums.size() != expected)
    throw InputError(fmt::format("expected {} 'checksums' of {} draws", expected, records));
  DrawsState draws{.run = whole_number(field(value, "run"), "run"), .sums = {}};
  for (const json& sum : sums) draws.sums.push_back(whole_number(sum, "checksums"));
  return draws;
}

/// A setting's value as it may stand in a message.
std::string describe(const json& value) {
  if (value.is_null()) return "none";
  if (value.is_number()) return value.dump();
  if (value.is_string()) return quote(value.get_ref<const std::string&>());
  return "something else";
}

}  // namespace

/// What must not change, by name.
struct CheckpointFile::Settings {
  std::vector<std::pair<std::string, json>> compared;      ///< said in messages
  std::vector<std::pair<std::string, json>> fingerprints;  ///< numbers that say nothing to people

  /// What was different, in words; empty if nothing was.
  std::string difference(const json& found) const {
    for (const auto& [key, expected] : compared) {
      const json& value = field(found, key.c_str());
      if (value != expected) return fmt::format("{} {}, found {}", key, describe(value), describe(expected));
    }
    for (const auto& [key, expected] : fingerprints) {
      if (field(found, key.c_str()) != expected) return "another " + key;
    }
    return "";
  }
};

CheckpointFile::CheckpointFile(std::filesystem::path file, const inverse::Posterior& posterior, SamplerOptions sampler,
                               std::uint64_t seed, Index chain, Index thin)
    : file_(std::move(file)), posterior_(posterior), sampler_(std::move(sampler)), thin_(thin) {
  const bool learns = sampler_.learns_scale();
  const bool patterned = learns && sampler_.scale == ScaleKind::sparse;
  settings_ = std::make_unique<Settings>(Settings{
      .compared = {{"seed", seed},
                   {"chain number", chain},
                   {"number of unknowns", posterior.size()},
                   {"kernel", name(sampler_.kernel)},
                   {"warm-up", sampler_.num_warmup()},
                   {"thinning", thin},
                   {"scale", learns ? json(name(sampler_.scale)) : json(nullptr)},
                   {"step", or_none(sampler_.step)},
                   {"target acceptance", or_none(sampler_.target_acceptance)},
                   {"number of leapfrog steps", or_none(sampler_.leapfrog_steps)},
                   {"tree depth", sampler_.max_depth}},
      .fingerprints = {
          {"reference distribution", sampler_.reference ? json(checksum_of(*sampler_.reference)) : json(nullptr)},
          {"pattern of the scale", patterned ? json(checksum_of(*sampler_.pattern)) : json(nullptr)}}});
}

CheckpointFile::CheckpointFile(CheckpointFile&&) noexcept = default;
CheckpointFile::~CheckpointFile() = default;

Index CheckpointFile::records_after(Index iteration) const {
  return std::max(0, iteration - sampler_.num_warmup()) / thin_;
}

std::uint64_t CheckpointFile::run_of(const ChainState& begin) const {
  const std::string content = encode(begin, {});
  return checksum(std::as_bytes(std::span(content)));
}

std::string CheckpointFile::encode(const ChainState& state, const DrawsState& draws) const {
  json settings = json::object();
  for (const auto& [key, value] : settings_->compared) settings[key] = value;
  for (const auto& [key, value] : settings_->fingerprints) settings[key] = value;
  const json content = {
      {"version", version}, {"settings", std::move(settings)}, {"records", records_after(state.iteration)},
      {"run", draws.run},   {"checksums", draws.sums},         {"state", encode_state(state)}};
  std::string bytes;
  json::to_cbor(content, bytes);
  return bytes;
}

Checkpoint CheckpointFile::decode(std::string_view content) const {
  std::string difference;
  try {
    const json value = parse_cbor(content);
    const Index found = decode_index(value, "version", std::numeric_limits<Index>::max());
    if (found != version)
      throw InputError(fmt::format("expected version {}, found {}, which this varimesh does not read", version, found));
    difference = settings_->difference(field(value, "settings"));
    if (difference.empty()) {
      Checkpoint checkpoint{
          .state = decode_state(field(value, "state"), posterior_, sampler_), .records = 0, .draws = {}};
      checkpoint.records = records_after(checkpoint.state.iteration);
      if (decode_index(value, "records", std::numeric_limits<Index>::max()) != checkpoint.records)
        throw InputError(fmt::format("expected {} as 'records'", checkpoint.records));
      checkpoint.draws = decode_draws(value, checkpoint.records, posterior_.size());
      return checkpoint;
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} cannot be used: {}", file_.string(), error.what()));
  }
  throw InputError(fmt::format("{} was made with {}", file_.string(), difference));
}

void CheckpointFile::save(const ChainState& state, const DrawsState& draws, Durable durable) const {
  const std::string content = encode(state, draws);
  const std::uint64_t sum = checksum(std::as_bytes(std::span(content)));
  std::string bytes(magic);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  bytes += content;
  write_file(file_, bytes, durable);
}

Checkpoint CheckpointFile::load() const {
  const std::string bytes = read_file(file_, max_bytes);
  if (bytes.size() < header_length || !bytes.starts_with(magic))
    throw InputError(fmt::format("{} is not a checkpoint of a chain", file_.string()));
  std::uint64_t expected = 0;
  std::memcpy(&expected, bytes.data() + magic.size(), sizeof expected);
  const std::string_view content = std::string_view(bytes).substr(header_length);
  if (checksum(std::as_bytes(std::span(content))) != expected)
    throw InputError(fmt::format("{} is damaged: its checksum is wrong", file_.string()));
  return decode(content);
}

}  // namespace varimesh::mcmc
