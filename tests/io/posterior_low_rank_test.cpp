#include <gtest/gtest.h>

#include <Eigen/QR>
#include <atomic>

#include "../records.h"
#include "../scratch_directory.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/gaussian/low_rank_gaussian.h"
#include "varimesh/io/netcdf.h"
#include "varimesh/io/posterior_file.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/parallel.h"

namespace varimesh::io {
namespace {

/// A fit of low rank to the sample problem in one dimension.
result::MethodRecord sample_low_rank(const result::ProblemRecord& problem) {
  result::MethodRecord method = test::sample_fit(problem, test::SampleFamily::dense);
  Random random(3);
  const Index n = problem.num_unknowns();
  const auto base = std::make_shared<gaussian::DenseGaussian>(
      random.normal_vector(n), Matrix(0.1 * random.normal_matrix(n, n) + 2.0 * Matrix::Identity(n, n)));
  const auto directions = std::make_shared<const Matrix>(
      Eigen::HouseholderQR<Matrix>(random.normal_matrix(n, 3)).householderQ() * Matrix::Identity(n, 3));
  method.components = {
      std::make_shared<gaussian::LowRankGaussian>(random.normal_vector(n), base, directions, Vector{{9, 4, 1}})};
  return method;
}

// The writer is a child process. One that found locks of BLAS taken when it was forked would wait for ever.
TEST(PosteriorOfLowRank, IsWrittenWhileOthersCalculate) {
  const test::ScratchDirectory directory;
  const auto file = directory.path() / "posterior.nc";
  const result::ProblemRecord problem = test::sample_problem(1);
  const result::MethodRecord method = sample_low_rank(problem);
  Random random(4);
  const Matrix factor = random.normal_matrix(40, 40);
  std::atomic<bool> written = false;
  parallel_for(2, 2, [&](Index task) {
    if (task == 0) {
      for (int k = 0; k < 10; ++k) write_posterior(file, problem, method);
      written = true;
    } else {
      Matrix x = Matrix::Ones(40, 8);
      do linalg::multiply_triangular(factor, linalg::Transpose::no, x);
      while (!written);
    }
  });
  // Covariance = the prior's - sum_k excess_k / (1 + excess_k) deviation_k deviation_k'
  const auto& q = dynamic_cast<const gaussian::LowRankGaussian&>(*method.components.front());
  NetcdfFile netcdf(file, NetcdfFile::Mode::read);
  const NetcdfGroup group = netcdf.root().group("approximation");
  const auto n = static_cast<std::size_t>(q.size());
  const Vector numbers = group.variable("deviation").read({3, n}), excess = group.variable("excess").read({3});
  const Eigen::Map<const Matrix> deviations(numbers.data(), q.size(), 3);
  Matrix root = Matrix::Identity(q.size(), q.size()), base = root;
  q.multiply_root(root);
  q.base().multiply_root(base);
  const Matrix expected = root * root.transpose();
  const Vector shares = excess.array() / (1 + excess.array());
  const Matrix found = base * base.transpose() - deviations * shares.asDiagonal() * deviations.transpose();
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
}

}  // namespace
}  // namespace varimesh::io
