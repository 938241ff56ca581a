#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "varimesh/error.h"
#include "varimesh/io/posterior_file.h"
#include "varimesh/mesh/generate.h"

namespace {

using namespace varimesh;

std::filesystem::path file() {
  static const auto path = std::filesystem::temp_directory_path() / ("fuzz-" + std::to_string(getpid()) + ".nc");
  return path;
}

/// posterior.nc of a small result, without the checksum at its end.
std::string make_example() {
  result::ProblemRecord problem;
  problem.mesh = mesh::create_interval(3);
  problem.unknown_of_cell = {0, 1, 2};
  for (Index c = 0; c < 3; ++c) problem.positions.push_back(mesh::centroid(problem.mesh, c));
  result::MethodRecord method;
  method.method = "nuts";
  method.draws = {3, {std::make_shared<result::MemoryDraws>(std::vector<double>(4 * result::record_length(3), 0.5))}};
  method.kappa = {Vector::Zero(3), Vector::Ones(3), Vector::Zero(3), Vector::Zero(3), Vector::Zero(3)};
  io::write_posterior(file(), problem, method);
  std::ifstream stream(file(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  bytes.resize(bytes.size() - 16);
  return bytes;
}

}  // namespace

/// A result with changes, each told by four bytes (where in three, and the byte to put there), is read or an
/// InputError. A child process reads first, so that what crashes HDF5 is none of ours. Seeds: fuzz/corpus/results.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string example = make_example();
  std::string bytes = example;
  for (; size >= 4; data += 4, size -= 4) {
    const std::size_t place = (data[0] + std::size_t{256} * data[1] + std::size_t{65536} * data[2]) % bytes.size();
    bytes[place] = static_cast<char>(data[3]);
  }
  std::ofstream(file(), std::ios::binary) << bytes;
  result::ProblemRecord problem;
  result::MethodRecord method;
  try {
    io::read_posterior(file(), problem, method, result::ProblemSizes{.nodes = 4, .cells = 3, .unknowns = 3});
    if (problem.num_unknowns() != 3) __builtin_trap();
  } catch (const InputError&) {
  }
  return 0;
}
