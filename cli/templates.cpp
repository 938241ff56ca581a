#include "templates.h"

#include "varimesh/embed.h"

namespace varimesh::cli {

VARIMESH_EMBED(poisson_1d_problem, VARIMESH_EXAMPLES "/poisson-1d/problem.toml")
VARIMESH_EMBED(plate_problem, VARIMESH_EXAMPLES "/plate-with-hole/problem.toml")
VARIMESH_EMBED(block_problem, VARIMESH_EXAMPLES "/block-3d/problem.toml")
VARIMESH_EMBED(benchmark_problem, VARIMESH_EXAMPLES "/aristoff-bangerth/problem.toml")
VARIMESH_EMBED(benchmark_measurements, VARIMESH_EXAMPLES "/aristoff-bangerth/measurements.csv")
VARIMESH_EMBED(benchmark_truth, VARIMESH_EXAMPLES "/aristoff-bangerth/truth.csv")
VARIMESH_EMBED(bracket_problem, VARIMESH_EXAMPLES "/bracket-gmsh/problem.toml")
VARIMESH_EMBED(bracket_geometry, VARIMESH_EXAMPLES "/bracket-gmsh/bracket.geo")
VARIMESH_EMBED(bracket_mesh, VARIMESH_EXAMPLES "/bracket-gmsh/bracket.msh")
VARIMESH_EMBED(bracket_sensors, VARIMESH_EXAMPLES "/bracket-gmsh/sensors.csv")
VARIMESH_EMBED(groundwater_problem, VARIMESH_EXAMPLES "/groundwater/problem.toml")
VARIMESH_EMBED(groundwater_pumping, VARIMESH_EXAMPLES "/groundwater/pumping.toml")
VARIMESH_EMBED(groundwater_sensors, VARIMESH_EXAMPLES "/groundwater/sensors.csv")
VARIMESH_EMBED(heat_problem, VARIMESH_EXAMPLES "/heat-source/problem.toml")
VARIMESH_EMBED(heat_sensors, VARIMESH_EXAMPLES "/heat-source/sensors.csv")

const std::vector<Template>& templates() {
  static const std::vector<Template> all = {
      {"1d", "a line of 32 elements, the paper's first problem", {{"problem.toml", poisson_1d_problem()}}, false},
      {"2d", "a plate with a hole, the paper's second problem", {{"problem.toml", plate_problem()}}, false},
      {"3d", "a block of tetrahedra", {{"problem.toml", block_problem()}}, false},
      {"gmsh",
       "a bracket drawn with Gmsh, with sensors at points",
       {{"problem.toml", bracket_problem()},
        {"bracket.geo", bracket_geometry()},
        {"bracket.msh", bracket_mesh()},
        {"sensors.csv", bracket_sensors()}},
       false},
      {"groundwater",
       "an aquifer with wells, unknown recharge and inflow, and a second load case",
       {{"problem.toml", groundwater_problem()},
        {"pumping.toml", groundwater_pumping()},
        {"sensors.csv", groundwater_sensors()}},
       false},
      {"heat",
       "a plate with a heat source of unknown power and width",
       {{"problem.toml", heat_problem()}, {"sensors.csv", heat_sensors()}},
       false},
      {"benchmark",
       "the benchmark of Aristoff and Bangerth, with its data",
       {{"problem.toml", benchmark_problem()},
        {"measurements.csv", benchmark_measurements()},
        {"truth.csv", benchmark_truth()}},
       true},
  };
  return all;
}

}  // namespace varimesh::cli
