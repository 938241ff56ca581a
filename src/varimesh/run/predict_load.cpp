#include "varimesh/run/predict_load.h"

#include <fmt/format.h>

#include <limits>

#include "varimesh/error.h"
#include "varimesh/random.h"
#include "varimesh/run/predictions.h"
#include "varimesh/run/same_mesh.h"
#include "varimesh/run/trust.h"

namespace varimesh::run {
namespace {

/// Independent draws of a distribution, in equal numbers from each of its components.
result::Draws sample(const result::MethodRecord& method, Index count, std::uint64_t seed) {
  if (method.components.empty())
    throw InputError(
        fmt::format("{}: only fitted distributions have fresh draws, chains have those they have drawn", method.name));
  const Index unknowns = method.components.front()->size();
  const auto components = static_cast<Index>(method.components.size());
  Random random(seed, ~std::uint64_t{3});  // a stream that no method uses
  std::vector<double> records;
  records.reserve(static_cast<std::size_t>(result::record_length(unknowns)) * static_cast<std::size_t>(count));
  for (Index s = 0; s < count; ++s) {
    const Vector kappa = method.components[static_cast<std::size_t>(s % components)]->sample(random);
    records.insert(records.end(), kappa.begin(), kappa.end());
    records.insert(records.end(), result::num_statistics, std::numeric_limits<double>::quiet_NaN());
  }
  return {unknowns, {std::make_shared<result::MemoryDraws>(std::move(records))}};
}

}  // namespace

result::MethodRecord predict_load(const Problem& problem, const result::ProblemRecord& record,
                                  const StoredResult& stored, const PredictLoadOptions& options,
                                  const std::function<bool(double done)>& observer) {
  if (const std::string difference = mesh_difference(stored.problem, record); !difference.empty())
    throw InputError(fmt::format("expected a load case on the mesh of the result, but {}", difference));
  result::MethodRecord method = stored.method;
  if (options.draws) {
    method.draws = sample(method, *options.draws, options.seed);
    method.log_weights = Vector(0);
  }
  method.description += "; its field under another load";
  method.trust.clear();
  method.kappa_error = method.u_error = std::nullopt;
  const result::Truth* truth = record.truth ? &*record.truth : nullptr;
  const PredictionCount predicted = predict(problem, truth, options.threads, method, observer);
  const bool sound =
      stored.method.status == result::Status::converged || stored.method.status == result::Status::completed;
  method.trust.push_back({sound ? result::TrustItem::Level::good : result::TrustItem::Level::warn,
                          "The field comes from an earlier inference.",
                          fmt::format("{}, which ended as {}. Its own report says how far to trust it.",
                                      stored.method.description, name(stored.method.status)),
                          sound ? "" : "Repeat or resume the inference first."});
  if (!predicted.complete) {
    method.status = result::Status::interrupted;
    method.message = "interrupted: what follows from the draws is known for some of them only";
  }
  judge_predictions(problem, predicted.failures, truth, method);
  return method;
}

}  // namespace varimesh::run
