#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::python {

/// A NumPy array that its owner's memory is behind: nothing is copied, and nothing can be written.
template <class Number>
using View = nanobind::ndarray<nanobind::numpy, const Number>;

inline View<double> view(const Vector& values, nanobind::handle owner) {
  return {values.data(), {static_cast<std::size_t>(values.size())}, owner};
}

/// Columns become rows: what is stored draw by draw has its draws first.
inline View<double> view_of_columns(const Matrix& values, nanobind::handle owner) {
  return {values.data(), {static_cast<std::size_t>(values.cols()), static_cast<std::size_t>(values.rows())}, owner};
}

inline View<double> view(const std::vector<Point>& points, nanobind::handle owner) {
  static_assert(sizeof(Point) == 3 * sizeof(double));
  return {points.empty() ? nullptr : points.front().data(), {points.size(), 3}, owner};
}

inline View<Index> view(const std::vector<Index>& values, std::vector<std::size_t> shape, nanobind::handle owner) {
  return {values.data(), shape.size(), shape.data(), owner};
}

/// An array that owns its numbers.
template <class Values>
auto keep(Values values) {
  using Number = typename Values::Scalar;
  auto* kept = new Values(std::move(values));
  const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<Values*>(p); });
  if constexpr (Values::IsVectorAtCompileTime) {
    return nanobind::ndarray<nanobind::numpy, Number>(kept->data(), {static_cast<std::size_t>(kept->size())}, owner);
  } else {
    return nanobind::ndarray<nanobind::numpy, Number>(
        kept->data(), {static_cast<std::size_t>(kept->rows()), static_cast<std::size_t>(kept->cols())}, owner,
        {1, kept->rows()});
  }
}

/// What Python passes in: any array of numbers, in C order, converted if it must be.
using VectorIn = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using MatrixIn = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

inline Vector read(const VectorIn& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.shape(0)));
}

inline Matrix read(const MatrixIn& values) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(values.data(), static_cast<Eigen::Index>(values.shape(0)),
                                    static_cast<Eigen::Index>(values.shape(1)));
}

/// Rows of one to three coordinates as points.
inline std::vector<Point> read_points(const MatrixIn& values) {
  std::vector<Point> points(values.shape(0), Point::Zero());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t axis = 0; axis < values.shape(1) && axis < 3; ++axis)
      points[i][static_cast<Eigen::Index>(axis)] = values.data()[i * values.shape(1) + axis];
  }
  return points;
}

}  // namespace varimesh::python
