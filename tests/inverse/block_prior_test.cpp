#include "varimesh/inverse/block_prior.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "expect_input_error.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::inverse {
namespace {

BlockPrior::Block field() {
  return std::make_shared<SpdePrior>(mesh::create_interval(6), SpdeSettings{.sigma = 0.5, .range = 0.4, .mean = 1});
}

BlockPrior::Block scalars() {
  return std::make_shared<IndependentPrior>(Vector::LinSpaced(3, -1, 1), Vector::LinSpaced(3, 0.5, 2));
}

BlockPrior::Block process() {
  return std::make_shared<GaussianProcess>(Kernel{.type = KernelType::matern32, .sigma = 0.8},
                                           std::vector<Point>{{0, 0, 0}, {0.7, 0, 0}, {2, 0, 0}}, 0.3, 1e-6);
}

/// The covariance matrix of independent blocks.
Matrix joined_covariance(const BlockPrior& prior) {
  Matrix result = Matrix::Zero(prior.size(), prior.size());
  Index first = 0;
  for (const auto& block : prior.blocks()) {
    const Index n = block->size();
    result.block(first, first, n, n) = block->gaussian().covariance_times(Matrix::Identity(n, n));
    first += n;
  }
  return result;
}

TEST(BlockPrior, IsTheDenseNormalDistributionOfItsBlocks) {
  for (const auto& blocks : {std::vector{field(), scalars()}, std::vector{scalars(), process(), field()}}) {
    const BlockPrior prior(blocks);
    const Matrix covariance = joined_covariance(prior), precision = covariance.inverse();
    const double scale = precision.norm();
    const Matrix identity = Matrix::Identity(prior.size(), prior.size());
    EXPECT_LT((prior.gaussian().covariance_times(identity) - covariance).norm(), 1e-12);
    EXPECT_LT((prior.precision_diagonal() - precision.diagonal()).norm(), 1e-10 * scale);
    EXPECT_EQ(prior.gaussian().mean().head(blocks[0]->size()), blocks[0]->gaussian().mean());
    const Vector kappa = Random(1).normal_vector(prior.size());
    EXPECT_LT((prior.precision_times(kappa) - precision * kappa).norm(), 1e-10 * scale * kappa.norm());
    double density = 0;
    Index first = 0;
    for (const auto& block : blocks) {
      density += block->log_density(kappa.segment(first, block->size()));
      first += block->size();
    }
    Vector gradient;
    EXPECT_NEAR(prior.log_density(kappa), density, 1e-11 * std::abs(density));
    EXPECT_NEAR(prior.log_density_and_gradient(kappa, gradient), density, 1e-10 * std::abs(density));
    const Vector expected = -precision * (kappa - prior.gaussian().mean());
    EXPECT_LT((gradient - expected).norm(), 1e-10 * expected.norm());
  }
}

TEST(BlockPrior, HasASparsePrecisionIfAllBlocksHave) {
  const BlockPrior sparse({field(), scalars()}), mixed({scalars(), process(), field()});
  EXPECT_TRUE(sparse.has_sparse_precision());
  EXPECT_EQ(sparse.dense_precision(), nullptr);
  const Matrix expected = joined_covariance(sparse).inverse();
  EXPECT_LT((Matrix(*sparse.sparse_precision()) - expected).norm(), 1e-10 * expected.norm());
  EXPECT_EQ(sparse.sparse_precision()->coeff(0, 7), 0);
  EXPECT_FALSE(mixed.has_sparse_precision());
  EXPECT_EQ(mixed.sparse_precision(), nullptr);
  const Matrix dense = joined_covariance(mixed).inverse();
  EXPECT_LT((*mixed.dense_precision() - dense).norm(), 1e-10 * dense.norm());
}

TEST(BlockPrior, NeedsABlock) { EXPECT_INPUT_ERROR(BlockPrior({}), "expected at least one block, found none"); }

}  // namespace
}  // namespace varimesh::inverse
