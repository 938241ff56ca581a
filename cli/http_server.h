#pragma once

#include <functional>
#include <string>

namespace varimesh::cli {

struct HttpRequest {
  std::string method, path, body;
};
struct HttpResponse {
  int status = 200;
  std::string body;  ///< JSON
};

struct HttpOptions {
  std::string host;
  int port = 0;
  int connections = 1;  ///< clients that are served at once
};

/// Answers requests, several at once, until `ended`, asked often, says so. Nobody gets more than a share: bodies of at
/// most 64 MB, headers and addresses of 8 kB, five seconds between two pieces of a request. Calls `begun` when it
/// listens. Throws InputError if it cannot.
void serve_http(const HttpOptions& options, const std::function<HttpResponse(const HttpRequest&)>& answer,
                const std::function<void()>& begun, const std::function<bool()>& ended);

}  // namespace varimesh::cli
