// Apart from all that reads Eigen: what the sockets of httplib.h include defines macros that break it.
#include "http_server.h"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "varimesh/error.h"

namespace varimesh::cli {
namespace {

void limit(httplib::Server& server, int connections) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  constexpr std::time_t patience = 5;
  server.new_task_queue = [connections] { return new httplib::ThreadPool(static_cast<std::size_t>(connections)); };
  server.set_payload_max_length(most_bytes);
  server.set_read_timeout(patience);
  server.set_write_timeout(patience);
  server.set_keep_alive_timeout(patience);
  server.set_keep_alive_max_count(1'000'000);
  server.set_tcp_nodelay(true);
}

}  // namespace

void serve_http(const HttpOptions& options, const std::function<HttpResponse(const HttpRequest&)>& answer,
                const std::function<void()>& begun, const std::function<bool()>& ended) {
  httplib::Server server;
  limit(server, options.connections);
  const auto handle = [&](const httplib::Request& request, httplib::Response& response) {
    const HttpResponse found = answer({request.method, request.path, request.body});
    response.status = found.status;
    response.set_content(found.body, "application/json");
  };
  server.Get(".*", handle);
  server.Post(".*", handle);
  if (!server.bind_to_port(options.host, options.port))
    throw InputError("--port: cannot listen at " + options.host + ":" + std::to_string(options.port) +
                     ": expected an address of this machine and a free port");
  begun();
  std::atomic<bool> stopped = false;
  std::thread listener([&] {
    constexpr std::chrono::milliseconds interval(50);
    for (; !stopped; std::this_thread::sleep_for(interval)) {
      if (ended()) server.stop();
    }
  });
  server.listen_after_bind();
  stopped = true;
  listener.join();
}

}  // namespace varimesh::cli
