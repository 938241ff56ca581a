// Fuzzing begins with files that are read, or it finds little behind the first line: every seed is valid, but for those
// called bad.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "varimesh/error.h"
#include "varimesh/io/csv.h"
#include "varimesh/io/summary_file.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/mesh/gmsh.h"
#include "varimesh/result/draw_file.h"
#include "varimesh/run/config.h"
#include "varimesh/run/sensor_data.h"

namespace varimesh {
namespace {

namespace fs = std::filesystem;

const fs::path fuzz = fs::path(VARIMESH_SOURCE_DIR) / "fuzz";

void read_overrides(const std::string& text) {
  std::vector<run::Override> overrides;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin), equals = text.find('=', begin);
    overrides.push_back({text.substr(begin, equals - begin), text.substr(equals + 1, end - equals - 1)});
    begin = end + 1;
  }
  run::parse_config("[mesh]\nkind = \"interval\"\ncells = 4\n", "seed.toml", overrides);
}

/// What reads the seeds of a target. Targets without an entry take changes of an example: any bytes are valid.
const std::map<std::string, std::function<void(const fs::path&, const std::string&)>> readers = {
    {"config", [](const fs::path&, const std::string& text) { run::parse_config(text, "seed.toml"); }},
    {"csv", [](const fs::path&, const std::string& text) { io::parse_csv(text, "seed.csv"); }},
    {"draws", [](const fs::path& file,
                 const std::string&) { result::map_draws(file, {.unknowns = 2, .seed = 1, .chain = 0, .run = 7}); }},
    {"gmsh", [](const fs::path&, const std::string& bytes) { mesh::parse_gmsh(bytes, "seed.msh"); }},
    {"sensors",
     [](const fs::path&, const std::string& text) {
       run::NoiseConfig noise;
       noise.sigma = 0.1;
       run::read_sensor_data(io::parse_csv(text, "seed.csv"),
                             mesh::create_rectangle(mesh::CellType::triangle, {2, 2}, {}), noise, {});
     }},
    {"set", [](const fs::path&, const std::string& text) { read_overrides(text); }},
    {"summary",
     [](const fs::path&, const std::string& text) {
       result::ProblemRecord problem;
       result::MethodRecord method;
       io::parse_summary(text, "seed.json", problem, method);
     }},
};

TEST(FuzzSeeds, AreValidButForThoseCalledBad) {
  for (const auto& [target, read] : readers) {
    int seeds = 0;
    for (const auto& entry : fs::directory_iterator(fuzz / "corpus" / target)) {
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
      EXPECT_LE(bytes.size(), 4096U) << entry.path();  // what is longer is cut off
      const bool bad = entry.path().filename().string().starts_with("bad");
      try {
        read(entry.path(), bytes);
        EXPECT_FALSE(bad) << entry.path();
      } catch (const InputError& error) {
        EXPECT_TRUE(bad) << entry.path() << ": " << error.what();
      }
      ++seeds;
    }
    EXPECT_GT(seeds, 0) << target;
  }
}

TEST(FuzzSeeds, AreThereForEveryTarget) {
  int targets = 0;
  for (const auto& entry : fs::directory_iterator(fuzz)) {
    const std::string name = entry.path().stem().string();
    if (!name.starts_with("fuzz_")) continue;
    ++targets;
    EXPECT_FALSE(fs::is_empty(fuzz / "corpus" / name.substr(5))) << name;
  }
  EXPECT_GE(targets, 9);
}

}  // namespace
}  // namespace varimesh
