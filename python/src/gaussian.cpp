#include "gaussian.h"

#include "arrays.h"

namespace nb = nanobind;

namespace varimesh::python {
namespace {

/// Draws in rows.
Matrix sample(const Component& component, Index count, std::uint64_t seed) {
  Random random(seed);
  Matrix draws = random.normal_matrix(component.gaussian->size(), count);
  component.gaussian->multiply_root(draws);
  draws.colwise() += component.gaussian->mean();
  return draws.transpose();
}

}  // namespace

void bind_gaussian(nb::module_& module) {
  nb::class_<Component>(module, "Component", "A normal distribution.")
      .def_prop_ro(
          "size", [](const Component& c) { return c.gaussian->size(); }, "Unknowns.")
      .def_prop_ro(
          "mean", [](const Component& c) { return keep(Vector(c.gaussian->mean())); }, nb::rv_policy::automatic,
          "Of each unknown.")
      .def_prop_ro(
          "variance", [](const Component& c) { return keep(c.gaussian->variance()); }, nb::rv_policy::automatic,
          "Of each unknown.")
      .def(
          "sample", [](const Component& c, Index count, std::uint64_t seed) { return keep(sample(c, count, seed)); },
          nb::arg("count"), nb::arg("seed"), "Independent draws in rows.")
      .def(
          "log_density",
          [](const Component& c, const MatrixIn& rows) {
            return keep(c.gaussian->log_densities(read(rows).transpose()));
          },
          nb::arg("rows"), "Of each row.")
      .def(
          "covariance_times",
          [](const Component& c, const MatrixIn& rows) {
            return keep(Matrix(c.gaussian->covariance_times(read(rows).transpose()).transpose()));
          },
          nb::arg("rows"), "C b for each row b.");
}

}  // namespace varimesh::python
