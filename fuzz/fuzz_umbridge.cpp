#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "varimesh/inverse/independent_prior.h"
#include "varimesh/umbridge/posterior_models.h"
#include "varimesh/umbridge/protocol.h"

namespace {

using varimesh::Vector;

/// -x'x / 2 of two unknowns.
class Hill final : public varimesh::inverse::LogLikelihood {
 public:
  varimesh::Index num_parameters() const override { return 2; }
  double value(const Vector& x) const override { return -0.5 * x.squaredNorm(); }
  double value_and_gradient(const Vector& x, Vector& gradient) const override {
    gradient = -x;
    return value(x);
  }
};

}  // namespace

/// The first byte chooses the endpoint, the rest is the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const varimesh::umbridge::Models models = varimesh::umbridge::posterior_models(
      {std::make_shared<Hill>(),
       std::make_shared<varimesh::inverse::IndependentPrior>(Vector::Zero(2), Vector::Ones(2))});
  constexpr std::string_view paths[] = {"/Info",     "/ModelInfo",     "/InputSizes",   "/OutputSizes", "/Evaluate",
                                        "/Gradient", "/ApplyJacobian", "/ApplyHessian", "/Elsewhere"};
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto response = varimesh::umbridge::respond(models, "POST", paths[data[0] % std::size(paths)], body);
  if (nlohmann::json::parse(response.body, nullptr, false).is_discarded()) __builtin_trap();
  return 0;
}
