// Apart from all that reads Eigen: what the sockets of httplib.h include defines macros that break it.
#include "http_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "varimesh/error.h"

namespace varimesh::cli {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;

void limit(httplib::Server& server, int connections) {
  constexpr std::time_t patience = 5;
  server.new_task_queue = [connections] { return new httplib::ThreadPool(static_cast<std::size_t>(connections)); };
  server.set_payload_max_length(most_bytes);
  server.set_read_timeout(patience);
  server.set_write_timeout(patience);
  server.set_keep_alive_timeout(patience);
  server.set_keep_alive_max_count(1'000'000);
  server.set_tcp_nodelay(true);
  // Not SO_REUSEPORT, httplib's own choice: two servers of different posteriors would share a port, and its requests.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
}

}  // namespace

void serve_http(const HttpOptions& options, const std::function<HttpResponse(const HttpRequest&)>& answer,
                const std::function<void()>& begun, const std::function<bool()>& ended) {
  httplib::Server server;
  limit(server, options.connections);
  const auto handle = [&](const httplib::Request& request, const std::string& body, httplib::Response& response) {
    const HttpResponse found = answer({request.method, request.path, body});
    response.status = found.status;
    response.set_content(found.body, "application/json");
  };
  server.Get(".*",
             [&](const httplib::Request& request, httplib::Response& response) { handle(request, "", response); });
  // httplib holds only what Content-Length says to its limit: not what comes in chunks, or compressed.
  server.Post(
      ".*", [&](const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& read) {
        std::string body;
        const bool is_whole = !request.is_multipart_form_data() && read([&](const char* data, std::size_t size) {
          if (size > most_bytes - body.size()) return false;
          body.append(data, size);
          return true;
        });
        if (is_whole) {
          handle(request, body, response);
        } else {
          response.status = 413;
        }
      });
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
