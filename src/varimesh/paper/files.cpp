#include "varimesh/paper/files.h"

#include "varimesh/embed.h"

namespace varimesh::paper {
namespace {

VARIMESH_EMBED(poisson_1d_file, VARIMESH_SOURCE "/paper/poisson-1d.toml")
VARIMESH_EMBED(poisson_2d_file, VARIMESH_SOURCE "/paper/poisson-2d.toml")
VARIMESH_EMBED(benchmark_file, VARIMESH_SOURCE "/paper/benchmark.toml")
VARIMESH_EMBED(measurements_file, VARIMESH_SOURCE "/examples/aristoff-bangerth/measurements.csv")
VARIMESH_EMBED(truth_file, VARIMESH_SOURCE "/examples/aristoff-bangerth/truth.csv")
VARIMESH_EMBED(reference_file, VARIMESH_SOURCE "/paper/benchmark-mean-theta.csv")
VARIMESH_EMBED(bimodal_file, VARIMESH_SOURCE "/paper/bimodal.toml")

}  // namespace

std::string_view poisson_1d_problem() { return poisson_1d_file(); }
std::string_view poisson_2d_problem() { return poisson_2d_file(); }
std::string_view benchmark_problem() { return benchmark_file(); }
std::string_view benchmark_measurements() { return measurements_file(); }
std::string_view benchmark_truth() { return truth_file(); }
std::string_view benchmark_reference() { return reference_file(); }
std::string_view bimodal_problem() { return bimodal_file(); }

}  // namespace varimesh::paper
