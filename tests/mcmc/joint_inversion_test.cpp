// Two experiments on the same field, inferred together: a fit beside NUTS, and beside each experiment alone.
#include <gtest/gtest.h>

#include <cmath>

#include "problems.h"
#include "varimesh/diagnostics/compare.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/stacked_model.h"
#include "varimesh/mcmc/chains_summary.h"
#include "varimesh/variational/fit.h"

namespace varimesh::mcmc {
namespace {

using inverse::Observations;

/// A square that is heated from inside, and through which a flux passes, each measured in nine places, with normal and
/// with Student-t noise.
class JointInversion : public testing::Test {
 protected:
  JointInversion() {
    std::vector<Point> sensors;
    for (const double x : {0.25, 0.55, 0.9})
      for (const double y : {0.1, 0.5, 0.85}) sensors.emplace_back(x, y, 0);
    const auto load = [&](double source, double inflow) {
      auto problem = std::make_shared<const fem::EllipticProblem>(
          mesh_, fem::one_per_cell(mesh_), std::vector<fem::SourceTerm>{{"", test::constant(source)}},
          std::vector<fem::BoundaryCondition>{test::dirichlet("left", test::constant(0)),
                                              test::neumann("top", test::constant(inflow))});
      return std::make_shared<const inverse::EllipticModel>(problem,
                                                            inverse::sensors_at_points(mesh_, sensors, *problem));
    };
    models_ = {load(1, 0), load(0, 1)};
    Random random(4);
    const Vector truth = prior_->sample(random);
    for (const auto& model : models_) {
      const Vector y = model->predict(truth) + sigma_ * random.normal_vector(model->num_predictions());
      data_.push_back(inverse::observe_means(y, Vector::Ones(y.size()), Vector::Constant(y.size(), sigma_)));
    }
    std::vector<Vector> each;
    for (const double y : data_[1].mean) each.push_back(Vector::Constant(1, y));
    data_[1] = inverse::observe_student(each, Vector::Constant(std::ssize(each), sigma_), 6);
  }

  inverse::Posterior together() const {
    auto model = std::make_shared<const inverse::StackedModel>(
        prior_->size(), std::vector<inverse::StackedModel::Part>{{models_[0]}, {models_[1]}});
    return {std::make_shared<inverse::GaussianLikelihood>(model, inverse::stack(data_)), prior_};
  }
  inverse::Posterior alone(std::size_t k) const {
    return {std::make_shared<inverse::GaussianLikelihood>(models_[k], data_[k]), prior_};
  }
  static std::shared_ptr<const gaussian::Gaussian> fit(const inverse::Posterior& posterior) {
    auto result = variational::fit(posterior, {.family = variational::FamilyKind::full_covariance});
    EXPECT_EQ(result.status, result::FitStatus::converged) << result.message;
    return variational::shared_gaussian(std::move(result.q));
  }

  mesh::Mesh mesh_ = test::unit_mesh(mesh::CellType::triangle, 4);
  double sigma_ = 0.02;
  std::shared_ptr<const inverse::GaussianProcess> prior_ =
      std::make_shared<inverse::GaussianProcess>(inverse::Kernel{.sigma = 0.5, .length_scale = {0.5, 0.5, 0.5}},
                                                 fem::coefficient_positions(mesh_, fem::one_per_cell(mesh_)), 0, 1e-6);
  std::vector<std::shared_ptr<const inverse::EllipticModel>> models_;
  std::vector<Observations> data_;
};

TEST_F(JointInversion, OfTwoExperimentsAgreesWithNuts) {
  const inverse::Posterior posterior = together();
  const auto q = fit(posterior);
  const ChainsResult run = run_chains(posterior, {.kernel = KernelKind::nuts, .reference = q}, {.draws = 1000});
  const auto unknowns = diagnostics::diagnose(run.draws, 1);
  ASSERT_TRUE(judge(run, unknowns).is_good);
  const diagnostics::Contender nuts = summarize("nuts", run, unknowns);
  const Vector sd = q->variance().cwiseSqrt();
  // The posterior is nearly normal: what a normal distribution may be off by at this noise, and NUTS's own 2 %.
  EXPECT_LT(((q->mean() - nuts.mean).array() / nuts.sd.array()).abs().maxCoeff(), 0.15);
  EXPECT_LT((sd.array() / nuts.sd.array() - 1).abs().maxCoeff(), 0.15);
}

TEST_F(JointInversion, KnowsMoreThanEitherExperiment) {
  const Vector both = fit(together())->variance();
  for (const std::size_t k : {0U, 1U}) {
    const Vector one = fit(alone(k))->variance();
    // Information adds up; means move, so that single cells may know a little less.
    EXPECT_LT(both.sum(), 0.95 * one.sum());
    EXPECT_LT((both.array() / one.array()).maxCoeff(), 1.1);
  }
}

}  // namespace
}  // namespace varimesh::mcmc
