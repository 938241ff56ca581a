#pragma once

#include <Eigen/Core>
#include <functional>

namespace varimesh {

using Index = int;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A point of the domain; coordinates beyond the mesh's dimension are zero.
using Point = Eigen::Vector3d;

/// A scalar function of position: a source term or a boundary value.
using ScalarFunction = std::function<double(const Point&)>;

}  // namespace varimesh
