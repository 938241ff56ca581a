// The Jacobian of 100 sensors on 2e5 triangles: blocked adjoint solves against one adjoint solve a sensor.

#include "ratios.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/random.h"

namespace varimesh {
namespace {

const inverse::EllipticModel& model() {
  static const inverse::EllipticModel instance = [] {
    const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {316, 316});
    const auto zero = [](const Point&) { return 0.0; };
    auto problem = std::make_shared<const fem::EllipticProblem>(
        mesh, fem::one_per_cell(mesh), std::vector<fem::SourceTerm>{{"", [](const Point&) { return 1.0; }}},
        std::vector<fem::BoundaryCondition>{{fem::BoundaryCondition::Kind::dirichlet, "left", zero},
                                            {fem::BoundaryCondition::Kind::dirichlet, "top", zero}});
    std::vector<Point> points;
    for (int i = 1; i <= 10; ++i)
      for (int j = 1; j <= 10; ++j) points.emplace_back(i / 11.0, j / 11.0, 0);
    fem::Functionals sensors = inverse::sensors_at_points(mesh, points, *problem);
    return inverse::EllipticModel(std::move(problem), std::move(sensors));
  }();
  return instance;
}

void blocked(benchmark::State& state) {
  const auto linearization = model().linearize(0.5 * Random(1).normal_vector(model().num_parameters()));
  for (auto _ : state) benchmark::DoNotOptimize(linearization->jacobian().data());
}

void one_solve_a_sensor(benchmark::State& state) {
  const auto linearization = model().linearize(0.5 * Random(1).normal_vector(model().num_parameters()));
  for (auto _ : state) benchmark::DoNotOptimize(linearization->Linearization::jacobian().data());
}

BENCHMARK(blocked)->Unit(benchmark::kMillisecond);
BENCHMARK(one_solve_a_sensor)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varimesh

int main(int argc, char** argv) { return varimesh::benchmarks::run(argc, argv, {{"blocked", "one_solve_a_sensor"}}); }
