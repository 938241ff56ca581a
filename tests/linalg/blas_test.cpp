// Dense algebra is the same to the last bit however many threads the process gives to BLAS: as many as it has
// processors, unless told.
#include "varimesh/linalg/blas.h"

#include <gtest/gtest.h>

#include "varimesh/linalg/dense.h"
#include "varimesh/parallel.h"
#include "varimesh/random.h"

extern "C" void openblas_set_num_threads(int);
extern "C" int openblas_get_num_threads();

namespace varimesh::linalg {
namespace {

/// Leaves the process's threads of BLAS to the other tests as they were.
class Blas : public testing::Test {
 public:
  Blas() : before_(openblas_get_num_threads()) {}
  ~Blas() override { openblas_set_num_threads(before_); }

 private:
  int before_;
};

/// What an action makes of a process that has left four threads to BLAS.
template <class Action>
auto with_threads(const Action& action) {
  openblas_set_num_threads(4);
  EXPECT_EQ(openblas_get_num_threads(), 4);
  auto result = action();
  EXPECT_EQ(openblas_get_num_threads(), 4) << "what the process has set is its own again";
  return result;
}
template <class Action>
auto without_threads(const Action& action) {
  const OneBlasThread serial;
  EXPECT_EQ(openblas_get_num_threads(), 1);
  return action();
}

TEST_F(Blas, HasItsThreadsAgainAfterTheLastThatNeedsOne) {
  openblas_set_num_threads(3);
  {
    const OneBlasThread outer;
    EXPECT_EQ(openblas_get_num_threads(), 1);
    {
      const OneBlasThread inner;
    }
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), 3);
}

TEST_F(Blas, HasItsThreadsAgainAfterManyThreadsNeededOne) {
  openblas_set_num_threads(3);
  parallel_for(2000, 4, [](Index) { const OneBlasThread serial; });
  EXPECT_EQ(openblas_get_num_threads(), 3);
}

TEST_F(Blas, ResultsDoNotDependOnItsThreads) {
  constexpr Index n = 700;
  Random random(1);
  const Matrix b = Matrix::NullaryExpr(n, n, [&] { return random.normal(); });
  const Matrix a = b * b.transpose() + n * Matrix::Identity(n, n);
  const auto factor = [&] {
    Matrix lower = a;
    EXPECT_TRUE(cholesky(lower));
    return lower;
  };
  const Matrix lower = without_threads(factor);
  EXPECT_EQ(with_threads(factor), lower);
  const auto gram = [&] {
    Matrix sum = Matrix::Zero(n, n);
    add_gram(b, 1, sum);
    return sum;
  };
  EXPECT_EQ(with_threads(gram), without_threads(gram));
  const auto times = [&] { return product(a, b); };
  EXPECT_EQ(with_threads(times), without_threads(times));
  const auto solve = [&] {
    Matrix x = b;
    solve_triangular(lower, Transpose::no, x);
    return x;
  };
  EXPECT_EQ(with_threads(solve), without_threads(solve));
  const auto eigenvalues = [&] {
    Matrix vectors = a.topLeftCorner(300, 300);
    Vector values;
    EXPECT_TRUE(eigen_decomposition(vectors, values));
    return values;
  };
  EXPECT_EQ(with_threads(eigenvalues), without_threads(eigenvalues));
}

}  // namespace
}  // namespace varimesh::linalg
