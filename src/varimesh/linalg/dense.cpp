#include "varimesh/linalg/dense.h"

#include <algorithm>
#include <vector>

#include "varimesh/cancellation.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/linalg/divided_blas.h"
#include "varimesh/linalg/register_product.h"
#include "varimesh/linalg/triangular_times_vector.h"

namespace varimesh::linalg {
namespace {

int leading(const Eigen::Ref<const Matrix>& x) { return static_cast<int>(std::max<Eigen::Index>(1, x.outerStride())); }

/// Whether BLAS would copy the n x n matrix for too little work.
bool is_small_work(Eigen::Index n, Eigen::Index columns) {
  constexpr Eigen::Index few = 16;
  return columns <= few && fits_register_product(n);
}

/// L x for few columns.
Matrix lower_times_few(const Matrix& lower, const Eigen::Ref<const Matrix>& x) {
  constexpr Eigen::Index height = 24;
  Matrix y(x.rows(), x.cols());
  for (Eigen::Index i = 0; i < x.rows(); i += height) {
    // The rows i, i + 1, ...: what is left of the diagonal block, and its lower triangle.
    const Eigen::Index rows = std::min(height, x.rows() - i);
    register_product(lower.block(i, 0, rows, i), x.topRows(i), Update::set, y.middleRows(i, rows));
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, height, height> block =
        lower.block(i, i, rows, rows).triangularView<Eigen::Lower>();
    register_product(Eigen::Map<Matrix>(block.data(), rows, rows), x.middleRows(i, rows), Update::add,
                     y.middleRows(i, rows));
  }
  return y;
}

}  // namespace

void multiply_triangular(const Matrix& lower, Transpose transpose, Eigen::Ref<Matrix> x) {
  const auto n = static_cast<int>(x.rows()), columns = static_cast<int>(x.cols());
  const int ld = leading(lower), ldx = leading(x);
  const char* letter = transpose == Transpose::yes ? "T" : "N";
  // For one column, dtrmm and dtrsm would spend most of their time on copying the matrix.
  if (columns == 1) {
    thread_local Vector copy;
    copy = x;
    const auto times_vector = transpose == Transpose::yes ? lower_transposed_times_vector : lower_times_vector;
    times_vector(n, lower.data(), ld, copy.data(), x.data());
  } else if (transpose == Transpose::no && is_small_work(n, columns)) {
    x = lower_times_few(lower, x);
  } else {
    const OneBlasThread serial;
    divided_blas.multiply_left(letter, n, columns, lower.data(), ld, x.data(), ldx);
  }
}

void solve_triangular(const Matrix& lower, Transpose transpose, Eigen::Ref<Matrix> x) {
  const OneBlasThread serial;
  const auto n = static_cast<int>(x.rows()), columns = static_cast<int>(x.cols());
  const int ld = leading(lower), ldx = leading(x), next = 1;
  const char* letter = transpose == Transpose::yes ? "T" : "N";
  if (columns == 1)
    dtrsv_("L", letter, "N", &n, lower.data(), &ld, x.data(), &next);
  else
    divided_blas.solve_left(letter, n, columns, lower.data(), ld, x.data(), ldx);
}

bool cholesky(Matrix& a) {
  const OneBlasThread serial;
  const auto n = static_cast<int>(a.rows());
  const bool positive = divided_blas.cholesky(n, a.data(), leading(a));
  a.triangularView<Eigen::StrictlyUpper>().setZero();
  // LAPACK lets NaN and infinity pass.
  return positive && a.diagonal().allFinite();
}

void add_gram(const Matrix& b, double factor, Matrix& a) {
  const OneBlasThread serial;
  const auto n = static_cast<int>(b.cols()), k = static_cast<int>(b.rows());
  divided_blas.syrk("T", n, k, factor, b.data(), leading(b), 1, a.data(), leading(a));
}

void multiply(Transpose transpose_a, Transpose transpose_b, double alpha, const Eigen::Ref<const Matrix>& a,
              const Eigen::Ref<const Matrix>& b, double beta, Eigen::Ref<Matrix> c) {
  const OneBlasThread serial;
  const auto letter = [](Transpose transpose) { return transpose == Transpose::yes ? "T" : "N"; };
  const auto m = static_cast<int>(c.rows()), n = static_cast<int>(c.cols());
  const auto k = static_cast<int>(transpose_a == Transpose::yes ? a.rows() : a.cols());
  const int lda = leading(a), ldb = leading(b), ldc = leading(c);
  if (k == 0 && beta == 0) c.setZero();
  if (m > 0 && n > 0 && k > 0)
    divided_blas.gemm(letter(transpose_a), letter(transpose_b), m, n, k, alpha, a.data(), lda, b.data(), ldb, beta,
                      c.data(), ldc);
}

Matrix product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b) {
  Matrix c(a.rows(), b.cols());
  if (is_small_work(std::max(a.rows(), a.cols()), b.cols()))
    register_product(a, b, Update::set, c);
  else
    multiply(Transpose::no, Transpose::no, 1, a, b, 0, c);
  return c;
}

Matrix transposed_product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b) {
  Matrix c(a.cols(), b.cols());
  multiply(Transpose::yes, Transpose::no, 1, a, b, 0, c);
  return c;
}

Vector symmetric_product(const Matrix& a, const Vector& x) {
  const OneBlasThread serial;
  Vector y(x.size());
  const auto n = static_cast<int>(x.size());
  const int ld = leading(a), next = 1;
  dsymv_("L", &n, &one, a.data(), &ld, x.data(), &next, &zero, y.data(), &next);
  return y;
}

Matrix lower_of_product(const Matrix& a, const Matrix& lower) {
  // Of columns j, j + 1, ... of L only the rows from j on count, and of their product as well.
  const Eigen::Index n = lower.rows();
  const bool is_small = fits_register_product(n);
  const Eigen::Index width = is_small ? 8 : 48;
  Matrix c(n, n);
  for (Eigen::Index j = 0; j < n; j += width) {
    const Eigen::Index rest = n - j, columns = std::min(width, rest);
    const auto corner = a.bottomRightCorner(rest, rest);
    const auto strip = lower.block(j, j, rest, columns);
    if (is_small)
      register_product(corner, strip, Update::set, c.block(j, j, rest, columns));
    else
      multiply(Transpose::no, Transpose::no, 1, corner, strip, 0, c.block(j, j, rest, columns));
  }
  return c;
}

namespace {

bool eigen_decomposition_by_lapack(Matrix& a, Vector& eigenvalues) {
  const auto n = static_cast<int>(a.rows());
  eigenvalues.resize(n);
  int info = 0, integer_size = 0;
  double real_size = 0;
  const int ask = -1;
  dsyevd_("V", "L", &n, a.data(), &n, eigenvalues.data(), &real_size, &ask, &integer_size, &ask, &info);
  Vector work(static_cast<Eigen::Index>(real_size));
  std::vector<int> integers(static_cast<std::size_t>(integer_size));
  const auto size = static_cast<int>(work.size());
  dsyevd_("V", "L", &n, a.data(), &n, eigenvalues.data(), work.data(), &size, integers.data(), &integer_size, &info);
  return info == 0;
}

constexpr Eigen::Index tile = 64;

struct Decomposition {
  Matrix vectors;
  Vector values;
  bool ok = false;
};

}  // namespace

bool eigen_decomposition(Matrix& a, Vector& eigenvalues) {
  const OneBlasThread serial;
  constexpr Eigen::Index large = 1000;  // of which it takes a fraction of a second
  if (a.rows() <= large) return eigen_decomposition_by_lapack(a, eigenvalues);
  auto [vectors, values, ok] = run_abandonable([a = std::move(a)]() mutable {
    Decomposition found{std::move(a), Vector(), false};
    found.ok = eigen_decomposition_by_lapack(found.vectors, found.values);
    return found;
  });
  a = std::move(vectors);
  eigenvalues = std::move(values);
  return ok;
}

Matrix transposed(const Matrix& a) {
  // By tiles that fit the cache.
  Matrix result(a.cols(), a.rows());
  for (Eigen::Index j = 0; j < a.rows(); j += tile) {
    throw_if_interrupted();
    const Eigen::Index columns = std::min(tile, a.rows() - j);
    for (Eigen::Index i = 0; i < a.cols(); i += tile) {
      const Eigen::Index rows = std::min(tile, a.cols() - i);
      result.block(i, j, rows, columns) = a.block(j, i, columns, rows).transpose();
    }
  }
  return result;
}

void symmetrize(Matrix& a) {
  for (Eigen::Index j = 0; j < a.cols(); j += tile) {
    throw_if_interrupted();
    const Eigen::Index columns = std::min(tile, a.cols() - j);
    for (Eigen::Index i = 0; i < j; i += tile) a.block(i, j, tile, columns) = a.block(j, i, columns, tile).transpose();
    auto corner = a.block(j, j, columns, columns);
    corner.triangularView<Eigen::StrictlyUpper>() = corner.transpose();
  }
}

}  // namespace varimesh::linalg
