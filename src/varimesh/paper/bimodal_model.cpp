#include "varimesh/paper/bimodal_model.h"

#include <cmath>
#include <limits>
#include <utility>

#include "varimesh/inverse/gaussian_mixture_prior.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/log_sum_exp.h"
#include "varimesh/run/toml_reader.h"
#include "varimesh/variational/evaluator.h"

namespace varimesh::paper {
namespace {

using run::Setting;

/// Two conductivities and two boundary values, as columns (kappa, log u_R).
Matrix read_pairs(const Setting& table, double (*read_boundary)(const Setting&)) {
  Matrix pairs(2, 2);
  Index column = 0;
  for (const Setting& value : table.require("conductivity").elements(2, 2))
    pairs(0, column++) = std::log(value.positive_number());
  column = 0;
  for (const Setting& value : table.require("boundary_value").elements(2, 2))
    pairs(1, column++) = std::log(read_boundary(value));
  return pairs;
}

void read_truth(const Setting& truth, BimodalConfig& config) {
  truth.allow({"conductivity", "boundary_value"});
  config.truth = read_pairs(truth, [](const Setting& value) {
    const double u = value.number();
    return u == 0 ? u : value.positive_number();
  });
}

void read_prior(const Setting& prior, BimodalConfig& config) {
  prior.allow({"conductivity", "boundary_value", "variance"});
  config.prior_means = read_pairs(prior, [](const Setting& value) { return value.positive_number(); });
  if (!(config.prior_means(1, 0) < config.prior_means(1, 1)))
    prior.require("boundary_value").fail("expected the smaller value first");
  config.prior_variance = prior.require("variance").positive_number();
}

void read_observations(const Setting& observations, BimodalConfig& config) {
  constexpr std::size_t most = 1000;
  observations.allow({"x", "values", "sigma"});
  const Setting x = observations.require("x");
  config.sensor = x.positive_number();
  if (config.sensor >= 1) x.fail("expected a number between 0 and 1");
  const std::vector<Setting> values = observations.require("values").elements(1, most);
  config.measurements.resize(std::ssize(values));
  for (std::size_t k = 0; k < values.size(); ++k)
    config.measurements[static_cast<Eigen::Index>(k)] = values[k].number();
  config.sigma = observations.require("sigma").positive_number();
}

void read_fit(const Setting& fit, BimodalConfig& config) {
  constexpr Index most_samples = 1'000'000, most_steps = 1'000'000'000, most_draws = 100'000'000;
  fit.allow({"samples", "learning_rate", "max_steps", "tolerance", "seed", "draws"});
  config.adam.samples = fit.require("samples").integer(1, most_samples);
  config.adam.learning_rate = fit.require("learning_rate").positive_number();
  config.adam.max_steps = fit.require("max_steps").integer(1, most_steps);
  config.adam.tolerance = fit.require("tolerance").positive_number();
  config.adam.seed = fit.require("seed").seed();
  config.draws = fit.require("draws").integer(2, most_draws);
}

class BimodalLinearization final : public inverse::Linearization {
 public:
  BimodalLinearization(Vector prediction, Matrix jacobian)
      : prediction_(std::move(prediction)), jacobian_(std::move(jacobian)) {}

  const Vector& prediction() const override { return prediction_; }
  Vector jacobian_transposed(const Vector& w) const override { return jacobian_.transpose() * w; }
  Matrix jacobian() const override { return jacobian_; }

 private:
  Vector prediction_;
  Matrix jacobian_;
};

/// Nodes that are `step` apart, around all given places.
Vector line(const Vector& places, double reach, double step) {
  const double low = places.minCoeff() - reach, high = places.maxCoeff() + reach;
  const auto size = static_cast<Eigen::Index>(std::ceil((high - low) / step)) + 1;
  return Vector::LinSpaced(size, low, low + step * static_cast<double>(size - 1));
}

/// p log(p / q), with its limit 0 at p = 0.
double divergence_term(double p, double q) { return p > 0 ? p * std::log(p / q) : 0; }

}  // namespace

BimodalConfig read_bimodal(std::string_view text) {
  const std::filesystem::path file = "paper/bimodal.toml";
  const toml::table content = run::parse_toml(text, file);
  const Setting root(content, file);
  root.allow({"equation", "truth", "observations", "prior", "fit"});
  BimodalConfig config;
  const Setting equation = root.require("equation");
  equation.allow({"source"});
  config.source = equation.require("source").positive_number();
  read_truth(root.require("truth"), config);
  read_observations(root.require("observations"), config);
  read_prior(root.require("prior"), config);
  read_fit(root.require("fit"), config);
  return config;
}

BimodalModel::BimodalModel(double source, Vector x)
    : straight_(std::move(x)), bow_(0.5 * source * straight_.array() * (1 - straight_.array())) {}

Vector BimodalModel::predict(const Vector& unknowns) const {
  // u(x) = u_R x + f/2 exp(-kappa) x (1 - x)
  return std::exp(unknowns[1]) * straight_ + std::exp(-unknowns[0]) * bow_;
}

std::unique_ptr<inverse::Linearization> BimodalModel::linearize(const Vector& unknowns) const {
  // du/dkappa = -f/2 exp(-kappa) x (1 - x),  du/dlog u_R = u_R x
  Matrix jacobian(num_predictions(), 2);
  jacobian << -std::exp(-unknowns[0]) * bow_, std::exp(unknowns[1]) * straight_;
  return std::make_unique<BimodalLinearization>(predict(unknowns), std::move(jacobian));
}

inverse::Posterior bimodal_posterior(const BimodalConfig& config) {
  const auto model = std::make_shared<BimodalModel>(config.source, Vector::Constant(1, config.sensor));
  const auto likelihood = std::make_shared<inverse::GaussianLikelihood>(
      model, inverse::observe_replicates(config.measurements, Vector::Constant(1, config.sigma)));
  std::vector<inverse::GaussianMixturePrior::Component> components;
  for (const auto& mean : config.prior_means.colwise())
    components.push_back(
        std::make_shared<inverse::IndependentPrior>(mean, Vector::Constant(2, std::sqrt(config.prior_variance))));
  const auto prior = std::make_shared<inverse::GaussianMixturePrior>(Vector::Ones(2), std::move(components));
  return {likelihood, prior};
}

Vector log_joint(const inverse::Posterior& posterior, const Matrix& unknowns) {
  Vector result = variational::Evaluator(posterior, 1).values(unknowns);
  for (Eigen::Index i = 0; i < unknowns.cols(); ++i) result[i] += posterior.prior().log_density(unknowns.col(i));
  return result;
}

Matrix PlaneGrid::nodes() const {
  Matrix result(2, kappa.size() * log_u.size());
  for (Eigen::Index row = 0; row < log_u.size(); ++row) {
    auto block = result.middleCols(row * kappa.size(), kappa.size());
    block.row(0) = kappa.transpose();
    block.row(1).setConstant(log_u[row]);
  }
  return result;
}

BimodalQuadrature::BimodalQuadrature(const BimodalConfig& config, const inverse::Posterior& posterior, double step,
                                     double reach)
    : step_(step), split_(config.prior_means.row(1).mean()) {
  const double distance = reach * std::sqrt(config.prior_variance);
  nodes_ = PlaneGrid{line(config.prior_means.row(0), distance, step), line(config.prior_means.row(1), distance, step)}
               .nodes();
  log_posterior_ = log_joint(posterior, nodes_);
  // p(y) = integral of p(y | x) p(x)
  log_evidence_ = log_sum_exp(log_posterior_)[0] + 2 * std::log(step_);
  log_posterior_.array() -= log_evidence_;
}

double BimodalQuadrature::mass(const Vector& log_density) const {
  return step_ * step_ * log_density.array().exp().sum();
}

Mode BimodalQuadrature::mode(const Vector& log_density, bool high) const {
  Mode mode{.log_peak = -std::numeric_limits<double>::infinity()};
  Eigen::Vector2d first = Eigen::Vector2d::Zero();
  Eigen::Matrix2d second = Eigen::Matrix2d::Zero();
  for (Eigen::Index i = 0; i < nodes_.cols(); ++i) {
    const Eigen::Vector2d x = nodes_.col(i);
    if ((x[1] > split_) != high) continue;
    const double share = step_ * step_ * std::exp(log_density[i]);
    mode.weight += share;
    first += share * x;
    second += share * x * x.transpose();
    mode.log_peak = std::max(mode.log_peak, log_density[i]);
  }
  // E[x x'] - E[x] E[x]', given the mode
  mode.mean = first / mode.weight;
  const Eigen::Matrix2d covariance = second / mode.weight - mode.mean * mode.mean.transpose();
  mode.sd = covariance.diagonal().cwiseSqrt();
  mode.correlation = covariance(0, 1) / (mode.sd[0] * mode.sd[1]);
  return mode;
}

double BimodalQuadrature::divergence(const Vector& log_p, const Vector& log_q) const {
  // KL(p || q) = integral of p log(p / q)
  return step_ * step_ * (log_p.array().exp() * (log_p - log_q).array()).sum();
}

PlaneSummary BimodalQuadrature::summarize(const Vector& log_density) const {
  PlaneSummary summary;
  summary.low = mode(log_density, false);
  summary.high = mode(log_density, true);
  const Eigen::Array<bool, 1, Eigen::Dynamic> near = (nodes_.row(1).array() - split_).abs() <= step_;
  summary.log_pass = near.transpose().select(log_density.array(), -std::numeric_limits<double>::infinity()).maxCoeff();
  summary.divergence = divergence(log_density, log_posterior_);
  summary.reverse_divergence = divergence(log_posterior_, log_density);
  // With weights Q_k of q's modes and P_k of p's:  KL(q || p) = sum_k Q_k log(Q_k / P_k) + sum_k Q_k KL(q_k || p_k)
  const Mode low = mode(log_posterior_, false), high = mode(log_posterior_, true);
  summary.weight_divergence =
      divergence_term(summary.low.weight, low.weight) + divergence_term(summary.high.weight, high.weight);
  return summary;
}

}  // namespace varimesh::paper
