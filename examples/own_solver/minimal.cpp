// Your own problem in 40 lines: how strong is a source along a line, of which 12 sensors see a blurred picture?
#include <varimesh/inverse/gaussian_process.h>
#include <varimesh/mesh/generate.h>
#include <varimesh/run/record_on_mesh.h>
#include <varimesh/run/run_methods.h>

using namespace varimesh;

struct Slope final : inverse::Linearization {  // what sensors read at one x, and its derivative
  Vector reading;
  Matrix jacobian_;
  const Vector& prediction() const override { return reading; }
  Vector jacobian_transposed(const Vector& w) const override { return jacobian_.transpose() * w; }
};

struct Blur final : inverse::ForwardModel {  // sensors read W exp(x): the source is positive
  Matrix W = Matrix::NullaryExpr(
      12, 60, [](auto s, auto c) { return std::exp(-50 * std::pow((s + 0.5) / 12 - (c + 0.5) / 60, 2)) / 60; });
  Index num_parameters() const override { return static_cast<Index>(W.cols()); }
  Index num_predictions() const override { return static_cast<Index>(W.rows()); }
  Vector predict(const Vector& x) const override { return W * x.array().exp().matrix(); }
  std::unique_ptr<inverse::Linearization> linearize(const Vector& x) const override {
    auto slope = std::make_unique<Slope>();
    slope->reading = predict(x);
    slope->jacobian_ = W * x.array().exp().matrix().asDiagonal();
    return slope;
  }
};

struct Source final : run::InverseProblem {  // what follows from an x: no state, the readings, and the total strength
  using InverseProblem::InverseProblem;
  run::Prediction predict(const Vector& x) const override {
    return {Vector(0), Blur().predict(x), Vector::Constant(1, x.array().exp().mean()), true};
  }
  Index num_states() const override { return 0; }
};

int main() {
  auto record = run::record_on_cells(mesh::create_interval(60));
  record.labels.title = "A source along a line";
  record.quantities = {{"total", "total strength"}};
  const Vector sigma = Vector::Constant(12, 0.01), measured = Blur().predict(Vector::Ones(60));
  for (int s = 0; s < 12; ++s) record.sensors.points.emplace_back((s + 0.5) / 12, 0, 0);
  const auto observations = inverse::observe_means(measured, Vector::Ones(12), sigma);
  const auto prior = std::make_shared<inverse::GaussianProcess>(inverse::Kernel{.length_scale = {0.2, 0.2, 0.2}},
                                                                record.positions, /*mean=*/0, /*jitter=*/1e-6);
  const inverse::Posterior posterior(
      std::make_shared<inverse::GaussianLikelihood>(std::make_shared<Blur>(), observations), prior);
  run::run_methods("source-results", Source(record, observations), posterior, {}, {.replace = true});
}
