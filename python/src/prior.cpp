#include "prior.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "arrays.h"
#include "dense_prior.h"
#include "varimesh/error.h"
#include "varimesh/inverse/gaussian_mixture_prior.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"

namespace nb = nanobind;

namespace varimesh::python {
namespace {

inverse::KernelType find_kernel(const std::string& name) {
  using inverse::KernelType;
  static const std::map<std::string, KernelType> kernels = {{"squared_exponential", KernelType::squared_exponential},
                                                            {"matern12", KernelType::matern12},
                                                            {"matern32", KernelType::matern32},
                                                            {"matern52", KernelType::matern52},
                                                            {"periodic", KernelType::periodic}};
  const auto found = kernels.find(name);
  if (found == kernels.end())
    throw InputError(
        fmt::format("gaussian_process: kernel: expected squared_exponential, matern12, matern32, matern52 "
                    "or periodic, found '{}'",
                    name));
  return found->second;
}

PriorHandle gaussian_process(const MatrixIn& points, const std::string& kernel, double sigma,
                             const std::vector<double>& length_scale, const VectorIn& mean, double jitter,
                             double period) {
  inverse::Kernel shape{find_kernel(kernel), sigma, {1, 1, 1}, period};
  if (length_scale.size() != 1 && length_scale.size() != points.shape(1))
    throw InputError(fmt::format("gaussian_process: length_scale: expected one number or {}, found {}", points.shape(1),
                                 length_scale.size()));
  for (std::size_t axis = 0; axis < 3; ++axis)
    shape.length_scale[axis] = length_scale.size() == 1     ? length_scale[0]
                               : axis < length_scale.size() ? length_scale[axis]
                                                            : 1.0;
  std::vector<Point> places = read_points(points);
  const Vector means = read(mean);
  const nb::gil_scoped_release release;
  return {std::make_shared<inverse::GaussianProcess>(shape, places, means, jitter), places};
}

PriorHandle mixture(const VectorIn& weights, const std::vector<PriorHandle>& components) {
  std::vector<inverse::GaussianMixturePrior::Component> normals;
  for (const PriorHandle& component : components) {
    normals.push_back(std::dynamic_pointer_cast<const inverse::GaussianPrior>(component.prior));
    if (!normals.back()) throw InputError("mixture: expected normal components");
  }
  return {std::make_shared<inverse::GaussianMixturePrior>(read(weights), std::move(normals)),
          components.empty() ? std::vector<Point>{} : components.front().positions};
}

const gaussian::Gaussian& normal_of(const PriorHandle& handle, const char* what) {
  const auto* prior = dynamic_cast<const inverse::GaussianPrior*>(handle.prior.get());
  if (!prior) throw InputError(fmt::format("{}: the prior is not normal", what));
  return prior->gaussian();
}

Matrix sample(const PriorHandle& handle, Index count, std::uint64_t seed) {
  Random random(seed);
  Matrix draws(count, handle.prior->size());
  for (Index k = 0; k < count; ++k) draws.row(k) = handle.prior->sample(random);
  return draws;
}

}  // namespace

void bind_prior(nb::module_& module) {
  nb::class_<PriorHandle>(module, "Prior", "What is believed of the unknowns before measuring.")
      .def_prop_ro(
          "size", [](const PriorHandle& p) { return p.prior->size(); }, "Unknowns.")
      .def_prop_ro(
          "mean", [](const PriorHandle& p) { return keep(Vector(normal_of(p, "mean").mean())); },
          nb::rv_policy::automatic, "Of a normal prior.")
      .def_prop_ro(
          "sd", [](const PriorHandle& p) { return keep(Vector(normal_of(p, "sd").variance().cwiseSqrt())); },
          nb::rv_policy::automatic, "Of each unknown of a normal prior.")
      .def(
          "sample", [](const PriorHandle& p, Index count, std::uint64_t seed) { return keep(sample(p, count, seed)); },
          nb::arg("count"), nb::arg("seed") = 1, "Draws in rows.")
      .def(
          "log_density",
          [](const PriorHandle& p, const VectorIn& x) {
            if (static_cast<Index>(x.shape(0)) != p.prior->size())
              throw InputError(fmt::format("log_density: expected {} unknowns, found {}", p.prior->size(), x.shape(0)));
            return p.prior->log_density(read(x));
          },
          nb::arg("x"), "At one vector of unknowns.")
      .def(
          "covariance_times",
          [](const PriorHandle& p, const MatrixIn& rows) {
            return keep(Matrix(normal_of(p, "covariance").covariance_times(read(rows).transpose()).transpose()));
          },
          nb::arg("rows"), "C b for each row b, of a normal prior.");
  module.def("gaussian_process", &gaussian_process, nb::arg("points"), nb::arg("kernel"), nb::arg("sigma"),
             nb::arg("length_scale"), nb::arg("mean"), nb::arg("jitter"), nb::arg("period"),
             "A Gaussian process at points.");
  module.def(
      "independent",
      [](const VectorIn& mean, const VectorIn& sigma) {
        return PriorHandle{std::make_shared<inverse::IndependentPrior>(read(mean), read(sigma)), {}};
      },
      nb::arg("mean"), nb::arg("sigma"), "Independent normals.");
  module.def(
      "normal",
      [](const VectorIn& mean, const MatrixIn& covariance) {
        return PriorHandle{std::make_shared<DensePrior>(read(mean), read(covariance)), {}};
      },
      nb::arg("mean"), nb::arg("covariance"), "A normal distribution with any covariance.");
  module.def("mixture", &mixture, nb::arg("weights"), nb::arg("components"), "One of several normals.");
}

}  // namespace varimesh::python
