// A user's own model in place of a problem file.
#include "own_problem.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

#include "answer.h"
#include "arrays.h"
#include "attend.h"
#include "prior.h"
#include "progress.h"
#include "python_model.h"
#include "varimesh/error.h"
#include "varimesh/inverse/contract.h"
#include "varimesh/inverse/gaussian_likelihood.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/run/config.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/inverse_problem.h"

namespace nb = nanobind;

namespace varimesh::python {
namespace {

/// A log-likelihood with what it is made of, as Python has it.
struct LikelihoodHandle {
  std::shared_ptr<const inverse::LogLikelihood> likelihood;
  std::shared_ptr<const PythonModel> model;  ///< null for a black box
  std::optional<inverse::Observations> observations;
};

/// Those by which the fit to the data is judged, sensor by sensor, for which the model is linearised: none if it
/// cannot.
std::optional<inverse::Observations> judged_observations(const LikelihoodHandle& likelihood) {
  return likelihood.model && likelihood.model->is_differentiable() ? likelihood.observations : std::nullopt;
}

/// What the unknowns of a user's model lead to: readings by the model itself, quantities by a function of x.
class OwnProblem final : public run::InverseProblem {
 public:
  OwnProblem(result::ProblemRecord record, const LikelihoodHandle& likelihood, nb::object quantities)
      : InverseProblem(std::move(record), judged_observations(likelihood)),
        model_(likelihood.model),
        quantities_(std::move(quantities)) {}
  ~OwnProblem() override {
    const nb::gil_scoped_acquire lock;
    quantities_.reset();
  }

  run::Prediction predict(const Vector& unknowns) const override {
    run::Prediction found;
    if (model_) found.readings = model_->predict(unknowns);
    found.ok = found.readings.allFinite();
    if (found.ok) found.quantities = quantities(unknowns);
    return found;
  }
  Index num_states() const override { return 0; }
  Vector quantities(const Vector& unknowns) const override {
    const auto count = static_cast<Index>(record().quantities.size());
    if (count == 0) return Vector(0);
    const nb::gil_scoped_acquire lock;
    const nb::object found = quantities_(nb::cast(keep(Vector(unknowns))));
    return read(nb::cast<VectorIn>(found));
  }

 private:
  std::shared_ptr<const PythonModel> model_;
  nb::object quantities_;
};

LikelihoodHandle gaussian_likelihood(Index unknowns, nb::object predict, nb::object jacobian, nb::object jvp,
                                     nb::object vjp, const VectorIn& mean, const VectorIn& count, const VectorIn& sigma,
                                     std::optional<MatrixIn> covariance) {
  auto model = std::make_shared<PythonModel>(unknowns, static_cast<Index>(mean.shape(0)), std::move(predict),
                                             std::move(jacobian), std::move(jvp), std::move(vjp));
  inverse::Observations observations = covariance
                                           ? inverse::observe_correlated(read(mean), read(count), read(*covariance))
                                           : inverse::observe_means(read(mean), read(count), read(sigma));
  auto likelihood = std::make_shared<inverse::GaussianLikelihood>(model, observations);
  return {std::move(likelihood), std::move(model), std::move(observations)};
}

LikelihoodHandle black_box(Index unknowns, nb::object function) {
  return {std::make_shared<PythonLikelihood>(unknowns, std::move(function)), nullptr, std::nullopt};
}

struct Words {
  std::string title, equation, prior;
  std::vector<std::pair<std::string, std::string>> quantities;  ///< names and labels
};

result::ProblemRecord record_of(const LikelihoodHandle& likelihood, const PriorHandle& prior, const Words& words) {
  const Index unknowns = prior.prior->size();
  // Without a mesh of their own the unknowns stand side by side.
  result::ProblemRecord record;
  record.mesh = mesh::create_interval(unknowns);
  record.unknown_of_cell.resize(static_cast<std::size_t>(unknowns));
  std::iota(record.unknown_of_cell.begin(), record.unknown_of_cell.end(), Index{0});
  record.positions = prior.positions;
  if (record.positions.empty()) {
    for (Index c = 0; c < unknowns; ++c) record.positions.push_back(mesh::centroid(record.mesh, c));
  }
  record.labels.title = words.title;
  record.words = {words.equation,
                  fmt::format("{} unknowns of a model of the user's own.", unknowns),
                  "None.",
                  words.prior,
                  "As the log-likelihood has it.",
                  ""};
  if (likelihood.observations) {
    const inverse::Observations& data = *likelihood.observations;
    record.words.sensors = fmt::format("{} predictions of the model.", data.size());
    record.words.noise = "Normal.";
    for (Index s = 0; s < data.size(); ++s) record.sensors.points.emplace_back((s + 0.5) / data.size(), 0, 0);
    record.sensors.mean = data.mean;
    record.sensors.sigma = data.sigma;
    record.sensors.count = data.count;
    record.sensors.noise = data.noise;
  }
  for (const auto& [name, label] : words.quantities) record.quantities.push_back({name, label});
  return record;
}

/// The settings of [method], as problem files have them.
run::MethodConfig method_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<run::Override> overrides;
  for (const auto& [key, value] : settings) overrides.push_back({key, value});
  return run::parse_config("mesh = { kind = \"interval\", cells = 1 }", "settings", overrides).method;
}

nb::tuple infer_own(const LikelihoodHandle& likelihood, const PriorHandle& prior, const std::string& method,
                    const std::vector<std::pair<std::string, std::string>>& settings, int threads,
                    nb::object quantities, const std::vector<std::pair<std::string, std::string>>& quantity_names,
                    const std::string& title, const std::string& equation, const std::string& prior_words,
                    nb::object progress) {
  const run::MethodConfig config = method_of(settings);
  const inverse::Posterior posterior(likelihood.likelihood, prior.prior);
  const OwnProblem problem(record_of(likelihood, prior, {title, equation, prior_words, quantity_names}), likelihood,
                           std::move(quantities));
  Progress now;
  auto outcome = attend(
      [&] {
        return run::infer(config, problem, posterior, run::parse_method(method), {threads},
                          [&](const run::InferenceProgress& where) {
                            now.set(where);
                            return !listening().cancellation->requested();
                          });
      },
      [&] {
        if (!progress.is_none()) now.tell(progress);
      });
  nb::object answer = nb::none();
  if (outcome.value)
    answer = nb::cast(Answer{std::make_shared<const result::ProblemRecord>(problem.record()),
                             std::make_shared<const result::MethodRecord>(std::move(*outcome.value))});
  return nb::make_tuple(answer, outcome.interrupted);
}

/// The contract of a model at x: relative errors, which are below 1e-6 for a sound one.
nb::dict check_own(const LikelihoodHandle& likelihood, const VectorIn& x, int threads) {
  const Vector at = read(x);
  if (static_cast<Index>(at.size()) != likelihood.likelihood->num_parameters())
    throw InputError(fmt::format("check_model: x: expected {} unknowns, found {}",
                                 likelihood.likelihood->num_parameters(), at.size()));
  struct Contracts {
    std::optional<inverse::ModelContract> model;
    inverse::LikelihoodContract likelihood;
  };
  const auto outcome = attend([&]() -> Contracts {
    Random random(1);
    std::optional<inverse::ModelContract> model;
    if (likelihood.model) model = check_forward_model(*likelihood.model, at, random, {.threads = threads});
    return {model, check_log_likelihood(*likelihood.likelihood, at, random, {.threads = threads})};
  });
  if (!outcome.value || outcome.interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    nb::raise_python_error();
  }
  nb::dict found;
  if (outcome.value->model) {
    found["prediction_error"] = outcome.value->model->prediction_error;
    found["derivative_error"] = outcome.value->model->derivative_error;
    found["transposition_error"] = outcome.value->model->transposition_error;
  }
  found["value_error"] = outcome.value->likelihood.value_error;
  found["gradient_error"] = outcome.value->likelihood.gradient_error;
  found["same_on_threads"] =
      outcome.value->likelihood.same_on_threads && (!outcome.value->model || outcome.value->model->same_on_threads);
  return found;
}

}  // namespace

void bind_own_problem(nb::module_& module) {
  nb::class_<LikelihoodHandle>(module, "Likelihood", "The log-likelihood of a user's own model.");
  module.def("gaussian_likelihood", &gaussian_likelihood, nb::arg("unknowns"), nb::arg("predict"),
             nb::arg("jacobian").none(), nb::arg("jvp").none(), nb::arg("vjp").none(), nb::arg("mean"),
             nb::arg("count"), nb::arg("sigma"), nb::arg("covariance").none(),
             "Of measurements with normal noise, through a forward model.");
  module.def("black_box", &black_box, nb::arg("unknowns"), nb::arg("function"), "A value and its gradient, no more.");
  module.def("infer_own", &infer_own, nb::arg("likelihood"), nb::arg("prior"), nb::arg("method"), nb::arg("settings"),
             nb::arg("threads"), nb::arg("quantities").none(), nb::arg("quantity_names"), nb::arg("title"),
             nb::arg("equation"), nb::arg("prior_words"), nb::arg("progress").none(),
             "Infers, and gives an answer and whether it was interrupted.");
  module.def("check_own", &check_own, nb::arg("likelihood"), nb::arg("x"), nb::arg("threads"),
             "Whether a model keeps its promises at x.");
}

}  // namespace varimesh::python
