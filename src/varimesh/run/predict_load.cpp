#include "varimesh/run/predict_load.h"

#include <fmt/format.h>

#include <cmath>

#include "varimesh/constants.h"
#include "varimesh/error.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/number_words.h"
#include "varimesh/random.h"
#include "varimesh/random_streams.h"
#include "varimesh/run/predictions.h"
#include "varimesh/run/problem_difference.h"
#include "varimesh/run/trust.h"

namespace varimesh::run {
namespace {

/// Fresh independent draws of a distribution, from each of its components in turn.
Matrix sample(const result::MethodRecord& method, Index count, std::uint64_t seed) {
  const auto components = static_cast<Index>(method.components.size());
  Random random(seed, random_streams::fresh_draws);
  Matrix draws(method.components.front()->size(), count);
  for (Index s = 0; s < count; ++s)
    draws.col(s) = method.components[static_cast<std::size_t>(s % components)]->sample(random);
  return draws;
}

/// A chain without statistics: those of the inference do not hold for other data.
std::shared_ptr<const result::ChainDraws> bare_chain(const Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>& draws) {
  std::vector<double> records;
  records.reserve(static_cast<std::size_t>((draws.rows() + result::num_statistics) * draws.cols()));
  for (Eigen::Index s = 0; s < draws.cols(); ++s) {
    const auto kappa = draws.col(s);
    records.insert(records.end(), kappa.begin(), kappa.end());
    records.insert(records.end(), result::num_statistics, nan);
  }
  return std::make_shared<result::MemoryDraws>(std::move(records));
}

result::Draws take_draws(const result::MethodRecord& method, const PredictLoadOptions& options) {
  std::vector<std::shared_ptr<const result::ChainDraws>> chains;
  if (options.draws && !method.components.empty()) {
    chains.push_back(bare_chain(sample(method, *options.draws, options.seed)));
  } else {
    for (Index c = 0; c < method.draws.num_chains(); ++c) chains.push_back(bare_chain(method.draws.chain(c)));
  }
  return {method.draws.size(), std::move(chains)};
}

/// What is doubtful about the inference, about one of its quantities, too, is doubtful about all that follows from it;
/// what it owes to the prior, that owes as well.
std::vector<result::TrustItem> inherited(const result::MethodRecord& method) {
  std::vector<result::TrustItem> findings;
  for (const result::TrustItem& item : method.trust) {
    const bool is_condition = item.kind == result::TrustItem::Kind::prior && item.quantity.empty();
    if (item.level == result::TrustItem::Level::good && !is_condition) continue;
    findings.push_back(item);
    findings.back().headline = "In the inference, " + result::as_clause(item.headline) + ".";
    findings.back().quantity.clear();
  }
  return findings;
}

}  // namespace

void name_source(const result::ProblemRecord& source, result::ProblemRecord& record) {
  record.words.field = fmt::format("before, in \"{}\", from {} at {}", source.labels.title,
                                   counted(std::llround(source.sensors.count.sum()), "measurement"),
                                   counted(source.num_sensors(), "sensor"));
  record.words.prior = source.words.prior;
  if (record.num_sensors() == 0) record.words.sensors = "Of the inference: " + source.words.sensors;
  if (!record.has_measurements()) record.words.noise = "Of the inference: " + source.words.noise;
  const auto fill = [](std::string& label, const std::string& from) {
    if (label.empty()) label = from;
  };
  fill(record.labels.u, source.labels.u);
  fill(record.labels.length_unit, source.labels.length_unit);
  fill(record.labels.u_unit, source.labels.u_unit);
  fill(record.labels.conductivity, source.labels.conductivity);
  fill(record.labels.conductivity_unit, source.labels.conductivity_unit);
}

result::MethodRecord predict_load(const InverseProblem& problem, const StoredResult& stored,
                                  const PredictLoadOptions& options, const std::function<bool(double done)>& observer) {
  const linalg::OneBlasThread serial;
  const result::ProblemRecord& record = problem.record();
  if (const std::string difference = mesh_difference(stored.problem, record); !difference.empty())
    throw InputError(fmt::format("expected a load case on the mesh of the result, but {}", difference));
  result::MethodRecord method = stored.method;
  method.draws = take_draws(stored.method, options);
  method.log_weights = Vector(0);
  method.leave_one_out = {};
  method.mesh_check = {};
  method.prior_sensitivity = {};
  method.description += "; its field under another load";
  method.trust = inherited(stored.method);
  method.kappa_error = method.u_error = std::nullopt;
  const result::Truth* truth = record.truth ? &*record.truth : nullptr;
  const PredictionCount predicted = predict(problem, truth, options.threads, method, observer);
  if (worst_level(method.trust) == result::TrustItem::Level::good)
    method.trust.insert(
        method.trust.begin(),
        result::TrustItem{result::TrustItem::Level::good, "The inference of the field passed its checks.",
                          stored.method.description + ".", "", result::TrustItem::Kind::end});
  if (!predicted.complete) {
    method.status = result::Status::interrupted;
    method.message = "interrupted: what follows from the draws is known for some of them only";
  }
  judge_predictions(problem, DataKind::new_data, predicted.failures, truth, method);
  return method;
}

}  // namespace varimesh::run
