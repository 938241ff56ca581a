// Geweke's joint distribution test (Journal of the American Statistical Association 99, 2004): draw kappa from the
// prior, then in turn data given kappa and, by one transition of a kernel, kappa given the data. If the kernel leaves
// the posterior invariant, kappa keeps the distribution of the prior for ever, and this finds errors in kernel,
// likelihood, gradient and prior alike. On the 1D Poisson problem with 8 elements.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mcmc/sampling.h"
#include "paper_problems.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/mcmc/hmc.h"
#include "varimesh/mcmc/nuts.h"
#include "varimesh/mcmc/pcn.h"
#include "varimesh/mcmc/random_walk.h"

namespace varimesh::mcmc::test {
namespace {

constexpr Index elements = 8;

struct PoissonProblem {
  std::shared_ptr<const inverse::EllipticModel> model;
  std::shared_ptr<const inverse::GaussianProcess> prior;
};

PoissonProblem poisson() {
  const mesh::Mesh mesh = mesh::create_interval(elements);
  const fem::CoefficientMap map = fem::one_per_cell(mesh);
  const auto problem = std::make_shared<fem::EllipticProblem>(
      mesh, map, std::vector<fem::SourceTerm>{{.region = {}, .value = varimesh::test::constant(1)}},
      std::vector<fem::BoundaryCondition>{varimesh::test::dirichlet("left", varimesh::test::constant(0)),
                                          varimesh::test::dirichlet("right", varimesh::test::constant(0))});
  return {std::make_shared<inverse::EllipticModel>(problem, inverse::sensors_at_nodes({1, 3, 4, 6}, *problem)),
          std::make_shared<inverse::GaussianProcess>(inverse::Kernel{.length_scale = {0.2, 0.2, 0.2}},
                                                     fem::coefficient_positions(mesh, map), 0, 1e-6)};
}

/// kappa after every transition, one a column, of independent runs.
std::vector<Matrix> joint_simulation(const std::function<std::unique_ptr<Kernel>()>& create, double step,
                                     const gaussian::Gaussian& scale, Index runs, Index transitions) {
  constexpr double sigma = 0.05;
  const PoissonProblem problem = poisson();
  std::vector<Matrix> result;
  for (Index run = 0; run < runs; ++run) {
    Random random(3, static_cast<std::uint64_t>(run));
    const auto kernel = create();
    Position position{.kappa = problem.prior->sample(random)};
    Matrix kept(elements, transitions);
    for (Index i = 0; i < transitions; ++i) {
      const Vector u = problem.model->predict(position.kappa);
      const Vector y = u + sigma * random.normal_vector(static_cast<Index>(u.size()));
      const inverse::Posterior posterior(
          std::make_shared<inverse::GaussianLikelihood>(
              problem.model, inverse::observe_means(y, Vector::Ones(y.size()), Vector::Constant(y.size(), sigma))),
          problem.prior);
      Target target(posterior);
      if (kernel->needs_gradient())
        target.evaluate_with_gradient(position);
      else
        target.evaluate(position);
      kernel->move(target, position, step, scale, random);
      kept.col(i) = position.kappa;
    }
    result.push_back(std::move(kept));
  }
  return result;
}

/// By how many standard errors first and second moments are off those of the prior, at most.
double largest_error(const std::vector<Matrix>& runs) {
  const PoissonProblem problem = poisson();
  const Matrix covariance = problem.prior->gaussian().covariance_times(Matrix::Identity(elements, elements));
  double largest = 0;
  const auto look = [&](const Matrix& draws, double expected) {
    largest = std::max(largest, std::abs(draws.mean() - expected) / diagnostics::mcse_mean(draws));
  };
  for (Index i = 0; i < elements; ++i) {
    look(series(runs, [&](const Vector& x) { return x[i]; }), 0);
    for (Index j = 0; j <= i; ++j) look(series(runs, [&](const Vector& x) { return x[i] * x[j]; }), covariance(i, j));
  }
  return largest;
}

/// Narrower than the prior and off its mean.
std::shared_ptr<const gaussian::Gaussian> off_prior() {
  const PoissonProblem problem = poisson();
  return std::make_shared<gaussian::DenseGaussian>(Vector::Constant(elements, 0.2),
                                                   0.7 * problem.prior->gaussian().dense_root());
}

struct Case {
  const char* name;
  std::function<std::unique_ptr<Kernel>()> create;
  double step;
  std::shared_ptr<const gaussian::Gaussian> scale;
  Index transitions;
};

std::vector<Case> cases() {
  const auto prior = poisson().prior;
  const std::shared_ptr<const gaussian::Gaussian> prior_scale(prior, &prior->gaussian());
  return {
      {"Nuts", [] { return std::make_unique<Nuts>(); }, 0.5, off_prior(), 4000},
      {"NutsShallow", [] { return std::make_unique<Nuts>(2); }, 0.3, off_prior(), 4000},
      {"Hmc", [] { return std::make_unique<Hmc>(); }, 0.6, off_prior(), 4000},
      {"Pcn", [] { return std::make_unique<Pcn>(Pcn::Reference::prior); }, 0.5, prior_scale, 16'000},
      {"PcnOtherReference", [] { return std::make_unique<Pcn>(Pcn::Reference::other); }, 0.5, off_prior(), 16'000},
      {"RandomWalk", [] { return std::make_unique<RandomWalk>(); }, 0.4, prior_scale, 32'000},
  };
}

class JointDistribution : public testing::TestWithParam<Case> {};

TEST_P(JointDistribution, KeepsThePrior) {
  const Case& c = GetParam();
  EXPECT_LT(largest_error(joint_simulation(c.create, c.step, *c.scale, 4, c.transitions)), most_errors);
}

INSTANTIATE_TEST_SUITE_P(Kernels, JointDistribution, testing::ValuesIn(cases()),
                         [](const auto& c) { return std::string(c.param.name); });

/// A random walk that counts the data twice.
class CountsTwice final : public Kernel {
 public:
  bool needs_gradient() const override { return false; }
  double default_acceptance() const override { return 0.5; }
  double initial_step(Target&, const Position&, const gaussian::Gaussian&, Random&) override { return 1; }
  Transition move(Target& target, Position& position, double step, const gaussian::Gaussian& scale,
                  Random& random) override {
    Vector innovation = random.normal_vector(elements);
    scale.multiply_root(innovation);
    Position proposal{.kappa = position.kappa + step * innovation};
    target.evaluate(proposal);
    const double log_ratio =
        proposal.log_posterior + proposal.log_likelihood - position.log_posterior - position.log_likelihood;
    if (std::log(random.uniform()) < log_ratio) position = proposal;
    return {};
  }
};

TEST(JointDistributionTest, WrongKernelsAreFound) {
  const PoissonProblem problem = poisson();
  const auto counts_twice = [] { return std::make_unique<CountsTwice>(); };
  EXPECT_GT(largest_error(joint_simulation(counts_twice, 0.4, problem.prior->gaussian(), 4, 32'000)), most_errors);
  const auto wrong_reference = [] { return std::make_unique<Pcn>(Pcn::Reference::prior); };
  EXPECT_GT(largest_error(joint_simulation(wrong_reference, 0.5, *off_prior(), 4, 4000)), most_errors);
}

}  // namespace
}  // namespace varimesh::mcmc::test
