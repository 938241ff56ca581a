#include "python_model.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "arrays.h"
#include "varimesh/error.h"

namespace nb = nanobind;

namespace varimesh::python {
namespace {

/// A copy, which the user may keep.
nb::object to_numpy(const Vector& values) { return nb::cast(keep(values)); }

/// What Python returned as an array of doubles: arrays as they are, lists, scalars and JAX's arrays through NumPy.
template <class Array>
Array to_array(const nb::object& found, const char* function) {
  Array array;
  if (nb::try_cast(found, array)) return array;
  static nb::object& as_array = *new nb::object(nb::module_::import_("numpy").attr("ascontiguousarray"));
  nb::object converted = as_array(found, nb::arg("dtype") = "float64");
  if (!nb::try_cast(converted, array))
    throw InputError(fmt::format("{}: expected {}, found an array with {} axes", function,
                                 std::is_same_v<Array, VectorIn> ? "a vector" : "a matrix",
                                 nb::cast<int>(converted.attr("ndim"))));
  return array;
}

Vector to_vector(const nb::object& found, Index expected, const char* function) {
  const auto array = to_array<VectorIn>(found, function);
  if (static_cast<Index>(array.shape(0)) != expected)
    throw InputError(fmt::format("{}: expected {} numbers, found {}", function, expected, array.shape(0)));
  return read(array);
}

/// Its derivatives, each computed when it is asked for. Without vjp the Jacobian is formed, once.
class PythonLinearization final : public inverse::Linearization {
 public:
  PythonLinearization(const PythonModel& model, Vector x, Vector prediction)
      : model_(model), x_(std::move(x)), prediction_(std::move(prediction)) {}

  const Vector& prediction() const override { return prediction_; }

  Vector jacobian_transposed(const Vector& w) const override {
    if (model_.has_vjp()) return model_.vjp(x_, w);
    return formed().transpose() * w;
  }
  Matrix jacobian_transposed_block(const Matrix& w) const override {
    if (model_.has_vjp()) return Linearization::jacobian_transposed_block(w);
    return formed().transpose() * w;
  }
  Matrix jacobian_block(const Matrix& v) const override {
    if (!model_.has_jvp()) return formed() * v;
    Matrix product(model_.num_predictions(), v.cols());
    for (Eigen::Index c = 0; c < v.cols(); ++c) product.col(c) = model_.jvp(x_, v.col(c));
    return product;
  }
  Matrix jacobian() const override { return formed(); }

 private:
  const Matrix& formed() const {
    std::call_once(once_, [&] {
      if (model_.has_jacobian()) {
        jacobian_ = model_.jacobian(x_);
      } else if (model_.has_vjp() && (!model_.has_jvp() || model_.num_predictions() <= model_.num_parameters())) {
        jacobian_ = Linearization::jacobian();
      } else {
        jacobian_.resize(model_.num_predictions(), model_.num_parameters());
        for (Eigen::Index j = 0; j < jacobian_.cols(); ++j)
          jacobian_.col(j) = model_.jvp(x_, Vector::Unit(jacobian_.cols(), j));
      }
    });
    return jacobian_;
  }

  const PythonModel& model_;
  Vector x_, prediction_;
  mutable std::once_flag once_;
  mutable Matrix jacobian_;
};

}  // namespace

PythonModel::PythonModel(Index unknowns, Index predictions, nb::object predict, nb::object jacobian, nb::object jvp,
                         nb::object vjp)
    : unknowns_(unknowns),
      predictions_(predictions),
      predict_(std::move(predict)),
      jacobian_(std::move(jacobian)),
      jvp_(std::move(jvp)),
      vjp_(std::move(vjp)) {}

PythonModel::~PythonModel() {
  const nb::gil_scoped_acquire lock;
  for (nb::object* function : {&predict_, &jacobian_, &jvp_, &vjp_}) function->reset();
}

Vector PythonModel::predict(const Vector& x) const {
  const nb::gil_scoped_acquire lock;
  return to_vector(predict_(to_numpy(x)), predictions_, "predict");
}

std::unique_ptr<inverse::Linearization> PythonModel::linearize(const Vector& x) const {
  if (!is_differentiable())
    throw InputError(
        "the model has no derivative: expected jacobian, jvp or vjp beside predict; without them take "
        "differences=True, "
        "or method=\"pcn\", which needs none");
  return std::make_unique<PythonLinearization>(*this, x, predict(x));
}

Matrix PythonModel::jacobian(const Vector& x) const {
  const nb::gil_scoped_acquire lock;
  const auto found = to_array<MatrixIn>(jacobian_(to_numpy(x)), "jacobian");
  if (static_cast<Index>(found.shape(0)) != predictions_ || static_cast<Index>(found.shape(1)) != unknowns_)
    throw InputError(fmt::format("jacobian: expected {} x {} numbers, found {} x {}", predictions_, unknowns_,
                                 found.shape(0), found.shape(1)));
  return read(found);
}

Vector PythonModel::jvp(const Vector& x, const Vector& v) const {
  const nb::gil_scoped_acquire lock;
  return to_vector(jvp_(to_numpy(x), to_numpy(v)), predictions_, "jvp");
}

Vector PythonModel::vjp(const Vector& x, const Vector& w) const {
  const nb::gil_scoped_acquire lock;
  return to_vector(vjp_(to_numpy(x), to_numpy(w)), unknowns_, "vjp");
}

PythonLikelihood::PythonLikelihood(Index unknowns, nb::object function)
    : unknowns_(unknowns), function_(std::move(function)) {}

PythonLikelihood::~PythonLikelihood() {
  const nb::gil_scoped_acquire lock;
  function_.reset();
}

double PythonLikelihood::value(const Vector& x) const {
  Vector gradient;
  return value_and_gradient(x, gradient);
}

double PythonLikelihood::value_and_gradient(const Vector& x, Vector& gradient) const {
  const nb::gil_scoped_acquire lock;
  const nb::object found = function_(to_numpy(x));
  if (!nb::isinstance<nb::tuple>(found) || nb::len(found) != 2)
    throw InputError(fmt::format("log_likelihood: expected a value and its gradient, found {}",
                                 nb::cast<std::string>(nb::str(found.type().attr("__name__")))));
  const double value = nb::cast<double>(nb::float_(found[0]));
  gradient = to_vector(found[1], unknowns_, "log_likelihood: gradient");
  // NaN would be asked for again and again; a model that fails is one without any likelihood there.
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

}  // namespace varimesh::python
