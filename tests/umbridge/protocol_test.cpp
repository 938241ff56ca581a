// UM-Bridge 1.0 as a function from requests to answers, over a model whose derivatives are known.
#include "varimesh/umbridge/protocol.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/umbridge/posterior_models.h"

namespace varimesh::umbridge {
namespace {

using nlohmann::json;

/// G(x) = B x, which has no value where x_0 > 100.
class Line final : public inverse::ForwardModel {
 public:
  class At final : public inverse::Linearization {
   public:
    explicit At(Vector prediction) : prediction_(std::move(prediction)) {}
    const Vector& prediction() const override { return prediction_; }
    Vector jacobian_transposed(const Vector& w) const override { return slopes().transpose() * w; }

   private:
    Vector prediction_;
  };

  static Matrix slopes() { return Matrix{{1, 2}, {-1, 0.5}, {0.3, 1}}; }
  Index num_parameters() const override { return 2; }
  Index num_predictions() const override { return 3; }
  Vector predict(const Vector& x) const override {
    return x[0] > 100 ? Vector::Constant(3, std::numeric_limits<double>::quiet_NaN()) : Vector(slopes() * x);
  }
  std::unique_ptr<inverse::Linearization> linearize(const Vector& x) const override {
    return std::make_unique<At>(predict(x));
  }
};

const Vector measured{{1, 0.5, -0.2}}, sigma{{0.5, 0.4, 0.3}};

std::shared_ptr<const inverse::GaussianProcess> create_prior() {
  return std::make_shared<inverse::GaussianProcess>(inverse::Kernel{},
                                                    std::vector<Point>{Point::Zero(), Point::UnitX()}, 0.1, 1e-6);
}

inverse::Posterior create_posterior() {
  const Vector once = Vector::Ones(3);
  return {std::make_shared<inverse::GaussianLikelihood>(std::make_shared<Line>(),
                                                        inverse::observe_means(measured, once, sigma)),
          create_prior()};
}

class Protocol : public testing::Test {
 protected:
  json ask(const std::string& path, const json& request, int status = 200) const {
    const Response response = respond(models_, "POST", path, request.dump());
    EXPECT_EQ(response.status, status) << response.body;
    return json::parse(response.body);
  }
  Vector output(const std::string& path, const json& request) const {
    const auto numbers = ask(path, request).at("output").get<std::vector<double>>();
    return Eigen::Map<const Vector>(numbers.data(), std::ssize(numbers));
  }
  double log_density(const std::string& name, const Vector& x) const {
    return ask("/Evaluate", {{"name", name}, {"input", {{x[0], x[1]}}}}).at("output")[0][0];
  }
  Vector gradient(const std::string& name, const Vector& x) const {
    return output("/Gradient",
                  {{"name", name}, {"outWrt", 0}, {"inWrt", 0}, {"input", {{x[0], x[1]}}}, {"sens", {1.0}}});
  }
  std::string error_type(const std::string& path, const json& request, int status = 400) const {
    return ask(path, request, status).at("error").at("type");
  }

  const Models models_ = posterior_models(create_posterior());
};

TEST_F(Protocol, SaysWhatThereIs) {
  const json info = json::parse(respond(models_, "GET", "/Info", "").body);
  EXPECT_EQ(
      info,
      json::parse(R"({"protocolVersion":1.0,"models":["forward","log_likelihood","posterior","posterior_whitened"]})"));
  EXPECT_TRUE(info.at("protocolVersion").is_number());
  EXPECT_EQ(ask("/InputSizes", {{"name", "forward"}}), json::parse(R"({"inputSizes":[2]})"));
  EXPECT_EQ(ask("/OutputSizes", {{"name", "forward"}, {"config", json::object()}}),
            json::parse(R"({"outputSizes":[3]})"));
  EXPECT_FALSE(ask("/ModelInfo", {{"name", "forward"}}).at("support").at("ApplyHessian").get<bool>());
  EXPECT_TRUE(ask("/ModelInfo", {{"name", "posterior"}}).at("support").at("ApplyHessian").get<bool>());
}

TEST_F(Protocol, TheForwardModelHasItsDerivatives) {
  const json at = {{"name", "forward"}, {"input", {{0.3, -0.7}}}, {"outWrt", 0}, {"inWrt", 0}};
  const Vector x{{0.3, -0.7}}, w{{1, -2, 0.5}}, v{{0.2, 3}};
  EXPECT_EQ(ask("/Evaluate", at).at("output").size(), 1U);
  json gradient = at, jacobian = at;
  gradient["sens"] = {1, -2, 0.5};
  jacobian["vec"] = {0.2, 3};
  EXPECT_LT((output("/Gradient", gradient) - Line::slopes().transpose() * w).norm(), 1e-15);
  EXPECT_LT((output("/ApplyJacobian", jacobian) - Line::slopes() * v).norm(), 1e-14);
}

TEST_F(Protocol, LogDensitiesHaveGradientsAndHessiansThatAreTheirDifferences) {
  const Vector x{{0.3, -0.7}}, v{{0.6, 0.8}};
  constexpr double h = 1e-4;  // quadratic functions have exact central differences, but for rounding of 1e-16 * 10 / h
  for (const std::string name : {"log_likelihood", "posterior", "posterior_whitened"}) {
    const double slope = (log_density(name, x + h * v) - log_density(name, x - h * v)) / (2 * h);
    EXPECT_NEAR(gradient(name, x).dot(v), slope, 1e-9) << name;
    const Vector bend = (gradient(name, x + h * v) - gradient(name, x - h * v)) / (2 * h);
    const Vector hessian = output("/ApplyHessian", {{"name", name},
                                                    {"outWrt", 0},
                                                    {"inWrt1", 0},
                                                    {"inWrt2", 0},
                                                    {"input", {{x[0], x[1]}}},
                                                    {"sens", {1.0}},
                                                    {"vec", {v[0], v[1]}}});
    EXPECT_LT((hessian - bend).norm(), 1e-8 * (1 + bend.norm())) << name;
  }
}

TEST_F(Protocol, ThePosteriorIsLikelihoodTimesPriorAndTheWhitenedOneTheSameElsewhere) {
  const Vector a{{0.3, -0.7}}, b{{-1, 0.4}};
  const auto prior = create_prior();
  EXPECT_NEAR(log_density("posterior", a) - log_density("posterior", b),
              log_density("log_likelihood", a) - log_density("log_likelihood", b) + prior->log_density(a) -
                  prior->log_density(b),
              1e-12);
  const Matrix root = prior->gaussian().dense_root();
  const Vector at_a = prior->gaussian().mean() + root * a, at_b = prior->gaussian().mean() + root * b;
  EXPECT_NEAR(log_density("posterior_whitened", a) - log_density("posterior_whitened", b),
              log_density("posterior", at_a) - log_density("posterior", at_b), 1e-10);
}

TEST_F(Protocol, FaultsHaveATypeAndASentence) {
  EXPECT_EQ(error_type("/Evaluate", {{"name", "nobody"}}), "ModelNotFound");
  EXPECT_EQ(error_type("/ApplyHessian", {{"name", "forward"}}), "UnsupportedFeature");  // before the body is looked at
  EXPECT_EQ(error_type("/Evaluate", {{"name", "forward"}, {"input", {{1, 2, 3}}}}), "InvalidInput");
  EXPECT_EQ(error_type("/Evaluate", {{"name", "forward"}, {"input", {{1, "two"}}}}), "InvalidInput");
  EXPECT_EQ(error_type("/Evaluate", {{"name", "forward"}, {"input", {{200, 0}}}}, 500), "InvalidOutput");
  EXPECT_EQ(error_type("/Gradient", {{"name", "forward"}, {"input", {{1, 2}}}, {"outWrt", 1}, {"inWrt", 0}}),
            "InvalidInput");
  EXPECT_THAT(ask("/Evaluate", {{"name", "forward"}, {"input", {{1, 2, 3}}}}, 400).at("error").at("message"),
              testing::Eq("input[0]: expected 2 numbers, found 3"));
  EXPECT_EQ(respond(models_, "POST", "/Elsewhere", "{}").status, 404);
  for (const std::string body : {"", "{", "[]", "null", "{\"name\":7}", "\xff\xfe"})
    EXPECT_EQ(respond(models_, "POST", "/Evaluate", body).status, 400) << body;
}

}  // namespace
}  // namespace varimesh::umbridge
