#include "varimesh/umbridge/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "varimesh/quote.h"

namespace varimesh::umbridge {
namespace {

using Json = nlohmann::json;

/// A fault with its place in the protocol.
struct Fault {
  int status;
  const char* type;
  std::string message;
};

[[noreturn]] void refuse(std::string message) { throw Fault{400, "InvalidInput", std::move(message)}; }

const Json& require(const Json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end()) refuse(fmt::format("{}: is missing", key));
  return *found;
}

Vector read_numbers(const Json& numbers, Index size, const std::string& what) {
  if (!numbers.is_array()) refuse(fmt::format("{}: expected an array of numbers", what));
  if (numbers.size() != static_cast<std::size_t>(size))
    refuse(fmt::format("{}: expected {} numbers, found {}", what, size, numbers.size()));
  Vector values(size);
  for (Index i = 0; i < size; ++i) {
    const Json& number = numbers[static_cast<std::size_t>(i)];
    if (!number.is_number()) refuse(fmt::format("{}: expected numbers, found something else at {}", what, i));
    values[i] = number.get<double>();
  }
  return values;
}

/// "input": one vector in a list.
Vector read_input(const Json& request, const Model& model) {
  const Json& input = require(request, "input");
  if (!input.is_array() || input.size() != 1) refuse("input: expected a list of one vector");
  return read_numbers(input[0], model.input_size(), "input[0]");
}

/// The number of the one input or output.
void require_zero(const Json& request, const char* key) {
  const Json& number = require(request, key);
  if (!number.is_number_integer() || number != 0) refuse(fmt::format("{}: expected 0, the only one there is", key));
}

Json write_numbers(const Vector& values) {
  if (!values.allFinite())
    throw Fault{500, "InvalidOutput", "the model cannot be evaluated there: its result is not finite"};
  return Json(std::vector<double>(values.begin(), values.end()));
}

const Model& find_model(const Models& models, const Json& request) {
  const Json& name = require(request, "name");
  if (!name.is_string()) refuse("name: expected a text");
  const auto& wanted = name.get_ref<const std::string&>();
  const auto found = std::ranges::find_if(models, [&](const auto& model) { return model->name() == wanted; });
  if (found != models.end()) return **found;
  std::vector<std::string> names;
  for (const auto& model : models) names.push_back(model->name());
  throw Fault{400, "ModelNotFound",
              fmt::format("no model {}, expected one of {}", quote(wanted.substr(0, 100)), quote_list(names))};
}

Json answer_gradient(const Model& model, const Json& request) {
  const Vector x = read_input(request, model);
  require_zero(request, "outWrt");
  require_zero(request, "inWrt");
  return {{"output",
           write_numbers(model.gradient(x, read_numbers(require(request, "sens"), model.output_size(), "sens")))}};
}

Json answer_jacobian(const Model& model, const Json& request) {
  const Vector x = read_input(request, model);
  require_zero(request, "outWrt");
  require_zero(request, "inWrt");
  return {{"output",
           write_numbers(model.apply_jacobian(x, read_numbers(require(request, "vec"), model.input_size(), "vec")))}};
}

Json answer_hessian(const Model& model, const Json& request) {
  if (!model.has_hessian())
    throw Fault{400, "UnsupportedFeature", fmt::format("{} has no ApplyHessian", quote(model.name()))};
  const Vector x = read_input(request, model);
  for (const char* key : {"outWrt", "inWrt1", "inWrt2"}) require_zero(request, key);
  const Vector sensitivity = read_numbers(require(request, "sens"), model.output_size(), "sens");
  return {{"output", write_numbers(model.apply_hessian(
                         x, sensitivity, read_numbers(require(request, "vec"), model.input_size(), "vec")))}};
}

Json answer(const Models& models, std::string_view method, std::string_view path, std::string_view body) {
  if (path == "/Info") {
    Json names = Json::array();
    for (const auto& model : models) names.push_back(model->name());
    return {{"protocolVersion", 1.0}, {"models", names}};
  }
  const Json request = Json::parse(body, nullptr, false);
  if (method != "POST" || !request.is_object()) refuse(fmt::format("{}: expected POST with a JSON object", path));
  const Model& model = find_model(models, request);
  if (path == "/ModelInfo")
    return {{"support",
             {{"Evaluate", true}, {"Gradient", true}, {"ApplyJacobian", true}, {"ApplyHessian", model.has_hessian()}}}};
  if (path == "/InputSizes") return {{"inputSizes", {model.input_size()}}};
  if (path == "/OutputSizes") return {{"outputSizes", {model.output_size()}}};
  if (path == "/Evaluate") {
    Json outputs = Json::array();
    outputs.push_back(write_numbers(model.evaluate(read_input(request, model))));
    return {{"output", std::move(outputs)}};
  }
  if (path == "/Gradient") return answer_gradient(model, request);
  if (path == "/ApplyJacobian") return answer_jacobian(model, request);
  return answer_hessian(model, request);
}

Response write_fault(int status, const char* type, const std::string& message) {
  const Json body = {{"error", {{"type", type}, {"message", message}}}};
  return {status, body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

}  // namespace

Response respond(const Models& models, std::string_view method, std::string_view path, std::string_view body) {
  constexpr std::string_view paths[] = {"/Info",     "/ModelInfo", "/InputSizes",    "/OutputSizes",
                                        "/Evaluate", "/Gradient",  "/ApplyJacobian", "/ApplyHessian"};
  if (std::ranges::find(paths, path) == std::end(paths))
    return write_fault(404, "InvalidInput",
                       fmt::format("no such endpoint: {}", quote(std::string(path.substr(0, 100)))));
  try {
    return {200, answer(models, method, path, body).dump()};
  } catch (const Fault& fault) {
    return write_fault(fault.status, fault.type, fault.message);
  } catch (const std::exception& error) {
    return write_fault(500, "InvalidOutput", error.what());
  }
}

}  // namespace varimesh::umbridge
