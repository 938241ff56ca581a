#include "varimesh/calibration/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "varimesh/checksum.h"
#include "varimesh/error.h"
#include "varimesh/inverse/prior_moments.h"
#include "varimesh/random_streams.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/measurements.h"
#include "varimesh/run/simulate.h"
#include "varimesh/run/size_checks.h"
#include "varimesh/run/toml_reader.h"
#include "varimesh/stopwatch.h"
#include "varimesh/version.h"

namespace varimesh::calibration {
namespace {

constexpr Index most_tracked_unknowns = 5;

/// The purposes that a repeat needs random numbers for; a method must not see those that made its data.
enum class Purpose : std::uint64_t { data, method };

std::uint64_t derive_seed(std::uint64_t seed, Index repeat, Purpose purpose) {
  const std::uint64_t words[] = {seed, static_cast<std::uint64_t>(repeat), static_cast<std::uint64_t>(purpose)};
  return checksum(std::as_bytes(std::span(words))) % (run::largest_seed + 1);
}

/// Of each unknown: exact for a normal prior, from draws for others.
Vector prior_variance(const inverse::Prior& prior) {
  if (const auto* normal = dynamic_cast<const inverse::GaussianPrior*>(&prior)) return normal->gaussian().variance();
  Random random(1);
  return inverse::moments_of_draws(prior, 1000, random).variance;
}

/// So many unknowns in the middle of equal stretches, all if there are fewer.
std::vector<Index> choose_unknowns(Index unknowns) {
  const Index count = std::min(unknowns, most_tracked_unknowns);
  std::vector<Index> chosen;
  for (Index k = 0; k < count; ++k) chosen.push_back(static_cast<Index>((2LL * k + 1) * unknowns / (2LL * count)));
  return chosen;
}

std::vector<TrackedQuantity> name_quantities(const result::ProblemRecord& problem, const std::vector<Index>& tracked) {
  std::vector<TrackedQuantity> names;
  for (const auto& [name, label] : problem.quantities) names.push_back({name, label});
  names.push_back({"kappa_mean", "mean of kappa"});
  for (const Index i : tracked) {
    const Point& x = problem.positions[static_cast<std::size_t>(i)];
    const char* at = problem.on_nodes() ? "at node" : problem.one_unknown_per_cell() ? "in cell" : "of unknown";
    names.push_back(
        {fmt::format("kappa_{}", i), fmt::format("kappa {} {} at ({:.3g})", at, i,
                                                 fmt::join(x.data(), x.data() + problem.mesh.dimension(), ", "))});
  }
  return names;
}

/// The problem with its equation on the mesh of the truth.
run::Problem refine(const run::Config& config, const run::Problem& problem, int refinements) {
  if (refinements == 0) return problem;
  run::Problem fine;
  fine.equation = build_refined_equation(config, problem.equation, refinements);
  const run::Equation& equation = fine.equation;
  fine.model = run::build_model(*problem.sensors, equation);
  fine.quantities = build_quantities(config, equation);
  return fine;
}

std::string describe(const result::MethodSetting& setting) {
  return setting.key + "=" +
         std::visit(run::Overloaded{[](bool flag) { return std::string(flag ? "true" : "false"); },
                                    [](double number) { return fmt::format("{}", number); },
                                    [](const std::string& word) { return word; }},
                    setting.value);
}

}  // namespace

struct Experiment::Data {
  Vector kappa, quantities;  ///< the truth; quantities in the order of quantities()
  inverse::Observations observations;
};

Experiment::Experiment(run::Config config, const ExperimentOptions& options)
    : config_(std::move(config)), options_(options) {
  config_.truth.reset();  // each repeat has its own, which methods must not see
  run::require_prior_size(config_);
  problem_ = run::build_problem(config_, run::Data::if_present);
  const run::NoiseModel& noise = run::noise_of(config_, problem_);
  count_ = problem_.observations ? problem_.observations->count
                                 : Vector::Constant(problem_.sensors->size(), config_.replicates().value_or(1));
  prior_ = run::build_prior(config_, problem_);
  if (!prior_) throw InputError(config_.file.string() + ": expected a table [prior], from which truths are drawn");
  truth_problem_ = refine(config_, problem_, options_.refinements);
  field_prior_ = {prior_variance(*prior_).head(problem_.num_field_unknowns()),
                  fem::coefficient_volumes(problem_.equation.mesh, problem_.equation.coefficients)};
  tracked_ = choose_unknowns(problem_.num_field_unknowns());
  methods_ = run::choose_methods(config_.method);

  // Any data tell how the noise is; where it is relative, not zeros.
  Random any(options.seed);
  run::Measurements measured{Vector::Zero(count_.size()), count_, {}, {}};
  if (noise.relative > 0) measured.mean = problem_.model->predict(prior_->sample(any));
  for (Eigen::Index s = 0; s < count_.size(); ++s)
    measured.each.push_back(Vector::Constant(static_cast<Eigen::Index>(count_[s]), measured.mean[s]));
  problem_.observations = observe(noise, measured);
  const run::ConfiguredProblem configured(config_, problem_);
  record_ = configured.record();
  quantities_ = name_quantities(record_, tracked_);
  const inverse::Posterior posterior(
      std::make_shared<inverse::GaussianLikelihood>(problem_.model, *problem_.observations), prior_);
  std::string key =
      fmt::format("{} {} {} {} {}", record_.fingerprint, version(), options_.seed, options_.refinements, rank_draws);
  for (const run::Method method : methods_) {
    const result::MethodRecord described = run::describe_method(config_.method, configured, posterior, method);
    method_names_.push_back(described.name);
    key += "\n" + described.method;
    for (const result::MethodSetting& setting : described.settings) key += fmt::format(" {}", describe(setting));
  }
  for (Index s = 0; s < problem_.sensors->size(); ++s) {
    const Point& x = problem_.sensors->points[static_cast<std::size_t>(s)];
    key += fmt::format("\n{} {} {} {} {}", x[0], x[1], x[2], noise.sigma[s], count_[s]);
  }
  fingerprint_ = fmt::format("{:016x}", checksum(std::as_bytes(std::span(key))));
}

Experiment::Data Experiment::simulate(Index number) const {
  constexpr int most_tries = 100;
  const std::uint64_t seed = derive_seed(options_.seed, number, Purpose::data);
  Random truth_random(seed, random_streams::truth), noise_random(seed, random_streams::noise);
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    Data data;
    data.kappa = prior_->sample(truth_random);
    const fem::EllipticSolution solution = truth_problem_.equation.problem->solve(data.kappa);
    // The posterior, too, excludes fields at which the equation cannot be solved.
    if (!solution.ok()) continue;
    Vector values(std::ssize(truth_problem_.quantities));
    for (std::size_t q = 0; q < truth_problem_.quantities.size(); ++q)
      values[static_cast<Eigen::Index>(q)] = truth_problem_.quantities[q].value(solution);
    data.quantities.resize(std::ssize(quantities_));
    data.quantities << values, field_values(data.kappa);
    data.observations =
        observe(*problem_.noise,
                sample_measurements(*problem_.noise, truth_problem_.model->readings(solution), count_, noise_random));
    return data;
  }
  throw InputError(
      fmt::format("{}: the equation cannot be solved at {} draws of the prior in a row, at which exp(kappa) "
                  "overflows, underflows or varies too much: expected a narrower prior",
                  config_.file.string(), most_tries));
}

Vector Experiment::field_values(const Vector& kappa) const {
  Vector values(1 + std::ssize(tracked_));
  values[0] = field_prior_.volume.dot(kappa.head(field_prior_.volume.size())) / field_prior_.volume.sum();
  for (std::size_t k = 0; k < tracked_.size(); ++k) values[static_cast<Eigen::Index>(k) + 1] = kappa[tracked_[k]];
  return values;
}

std::vector<Matrix> Experiment::draws_of(const result::MethodRecord& answer) const {
  const Index draws = answer.draws.num_draws(), chains = answer.draws.num_chains();
  std::vector<Matrix> result;
  for (const Vector values : answer.quantity_draws.rowwise()) result.emplace_back(values.reshaped(draws, chains));
  const std::size_t first = result.size();
  result.resize(quantities_.size(), Matrix(draws, chains));
  for (Index c = 0; c < chains; ++c) {
    for (Index s = 0; s < draws; ++s) {
      const Vector values = field_values(answer.draws.chain(c).col(s));
      for (std::size_t q = first; q < result.size(); ++q)
        result[q](s, c) = values[static_cast<Eigen::Index>(q - first)];
    }
  }
  return result;
}

MethodScore Experiment::judge(const result::MethodRecord& answer, const Data& data) const {
  MethodScore scores;
  scores.method = answer.method;
  scores.status = answer.status;
  scores.has_answer = answer.has_answer();
  scores.seconds = answer.seconds;
  if (!answer.has_answer()) return scores;
  scores.trust = result::worst_level(answer.trust);
  const DrawKind kind = answer.chains ? DrawKind::chains : DrawKind::independent;
  const std::vector<Matrix> draws = draws_of(answer);
  for (std::size_t q = 0; q < draws.size(); ++q)
    scores.quantities.push_back(score(draws[q], kind, data.quantities[static_cast<Eigen::Index>(q)]));
  scores.field = score_field(answer, data.kappa, field_prior_);
  return scores;
}

std::optional<Repeat> Experiment::run(Index number, const std::function<bool()>& observer) const {
  if (!observer()) return std::nullopt;
  const Data data = simulate(number);
  run::Config config = config_;
  config.method.seed = derive_seed(options_.seed, number, Purpose::method);
  run::Problem problem = problem_;
  problem.observations = data.observations;
  const inverse::Posterior posterior(std::make_shared<inverse::GaussianLikelihood>(problem.model, data.observations),
                                     prior_);
  Repeat repeat{number, {}};
  const ProcessorTimeScope scope;  // other repeats, and other programs, run beside it
  for (const run::Method method : methods_) {
    const result::MethodRecord answer = run::infer(config, problem, posterior, method, {1, {}, false, false, false},
                                                   [&](const run::InferenceProgress&) { return observer(); });
    if (answer.status == result::Status::interrupted) return std::nullopt;
    repeat.methods.push_back(judge(answer, data));
    repeat.methods.back().method = run::name(method);
  }
  return repeat;
}

}  // namespace varimesh::calibration
