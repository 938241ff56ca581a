#include "varimesh/calibration/repeat_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/file_stream.h"
#include "varimesh/io/json_reader.h"

namespace varimesh::calibration {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_repeats = 1'000'000;
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 32;

std::string header(const Experiment& experiment) {
  return Json{{"kind", "varimesh calibration"}, {"schema", 1}, {"fingerprint", experiment.fingerprint()}}.dump() + "\n";
}

Json encode(const QuantityScore& score) {
  return {{"truth", score.truth}, {"mean", score.mean}, {"sd", score.sd},
          {"place", score.place}, {"rank", score.rank}, {"of", score.of}};
}

QuantityScore read_quantity(const io::JsonReader& json) {
  QuantityScore score{
      json.at("truth").number(), json.at("mean").number(), json.at("sd").number(), json.at("place").number(), 0, 0};
  score.of = static_cast<Index>(json.at("of").integer(rank_draws));
  score.rank = static_cast<Index>(json.at("rank").integer(static_cast<std::uint64_t>(score.of)));
  if (score.place < 0 || score.place > 1) json.at("place").fail("a number from 0 to 1");
  return score;
}

Json encode(const MethodScore& score) {
  Json quantities = Json::array();
  for (const QuantityScore& quantity : score.quantities) quantities.push_back(encode(quantity));
  Json object = {{"method", score.method},
                 {"status", name(score.status)},
                 {"trust", result::level_names[static_cast<std::size_t>(score.trust)]},
                 {"seconds", score.seconds},
                 {"quantities", quantities},
                 {"field", nullptr}};
  if (score.has_answer)
    object["field"] = {
        {"coverage", score.field.coverage}, {"z_rms", score.field.z_rms}, {"contraction", score.field.contraction}};
  return object;
}

MethodScore read_method(const io::JsonReader& json, std::string_view method, std::size_t num_quantities) {
  MethodScore score;
  score.method = json.at("method").text();
  if (score.method != method) json.at("method").fail(fmt::format("'{}'", method));
  score.status = static_cast<result::Status>(json.at("status").choice(result::status_names));
  score.trust = static_cast<result::TrustItem::Level>(json.at("trust").choice(result::level_names));
  score.seconds = json.at("seconds").number();
  for (const io::JsonReader& quantity : json.at("quantities").elements())
    score.quantities.push_back(read_quantity(quantity));
  const io::JsonReader field = json.at("field");
  score.has_answer = !field.value().is_null();
  if (score.quantities.size() != (score.has_answer ? num_quantities : 0))
    json.at("quantities").fail(fmt::format("{} of them", score.has_answer ? num_quantities : 0));
  if (!score.has_answer) return score;
  const auto coverage = field.at("coverage").elements();
  if (coverage.size() != levels.size()) field.at("coverage").fail(fmt::format("{} numbers", levels.size()));
  for (std::size_t k = 0; k < levels.size(); ++k) score.field.coverage[k] = coverage[k].number();
  score.field.z_rms = field.at("z_rms").number();
  score.field.contraction = field.at("contraction").number();
  return score;
}

}  // namespace

std::string format_repeat(const Repeat& repeat) {
  Json methods = Json::array();
  for (const MethodScore& method : repeat.methods) methods.push_back(encode(method));
  return Json{{"repeat", repeat.number}, {"methods", methods}}.dump() + "\n";
}

Repeat parse_repeat(const std::string& line, const Experiment& experiment, const std::string& source) {
  const Json document = io::parse_json(line, source);
  const io::JsonReader json(document, source);
  Repeat repeat;
  repeat.number = static_cast<Index>(json.at("repeat").integer(most_repeats));
  const auto methods = json.at("methods").elements();
  if (methods.size() != experiment.methods().size())
    json.at("methods").fail(fmt::format("{} methods", experiment.methods().size()));
  for (std::size_t m = 0; m < methods.size(); ++m)
    repeat.methods.push_back(
        read_method(methods[m], run::name(experiment.methods()[m]), experiment.quantities().size()));
  return repeat;
}

RepeatFile::RepeatFile(std::filesystem::path file, const Experiment& experiment, bool resume) : file_(std::move(file)) {
  if (resume && file_exists(file_)) {
    read(experiment);
  } else {
    write_file(file_, header(experiment), Durable::yes);
  }
  descriptor_.emplace(uninterrupted([&] { return open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); }));
  if (descriptor_->number() < 0) throw InputError(fmt::format("cannot write {}: {}", file_.string(), reason(errno)));
}

void RepeatFile::read(const Experiment& experiment) {
  const std::string bytes = read_file(file_, most_bytes);
  const std::string first = header(experiment);
  const std::size_t whole = bytes.rfind('\n') + 1;  // 0 if there is no line
  if (!bytes.starts_with(first))
    throw InputError(
        fmt::format("'{}' holds repeats of another problem, or with other options or another version of varimesh: "
                    "expected the same to --resume; --force begins anew",
                    file_.string()));
  std::size_t at = first.size();
  for (int number = 2; at < whole; ++number) {
    const std::size_t end = bytes.find('\n', at);
    const std::string source = fmt::format("{}:{}", file_.string(), number);
    earlier_.push_back(parse_repeat(bytes.substr(at, end - at), experiment, source));
    at = end + 1;
  }
  std::ranges::sort(earlier_, {}, &Repeat::number);
  const auto twice = std::ranges::adjacent_find(earlier_, {}, &Repeat::number);
  if (twice != earlier_.end())
    throw InputError(fmt::format("{}: expected each repeat once, found {} twice", file_.string(), twice->number));
  if (whole < bytes.size()) write_file(file_, std::string_view(bytes).substr(0, whole), Durable::yes);
}

void RepeatFile::append(const Repeat& repeat) {
  const std::string line = format_repeat(repeat);
  const int to = descriptor_->number();
  if (uninterrupted([&] { return write(to, line.data(), line.size()); }) != std::ssize(line) ||
      uninterrupted([&] { return fsync(to); }) != 0)
    throw InputError(fmt::format("cannot write {}: {}", file_.string(), reason(errno)));
}

}  // namespace varimesh::calibration
