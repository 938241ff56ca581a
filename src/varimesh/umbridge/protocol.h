#pragma once

#include <string>
#include <string_view>

#include "varimesh/umbridge/model.h"

namespace varimesh::umbridge {

/// An answer to an HTTP request: a status and JSON.
struct Response {
  int status = 200;
  std::string body;
};

/// What UM-Bridge 1.0 wants for a request, such as "POST" to "/Evaluate", of some models. Any body gets an answer:
/// faults are {"error": {"type", "message"}} with status 400, or 500 where a model fails.
Response respond(const Models& models, std::string_view method, std::string_view path, std::string_view body);

}  // namespace varimesh::umbridge
