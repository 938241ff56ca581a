#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "commands.h"
#include "http_server.h"
#include "interrupt.h"
#include "output.h"
#include "results.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/run/infer.h"
#include "varimesh/umbridge/posterior_models.h"
#include "varimesh/umbridge/protocol.h"

namespace varimesh::cli {

ExitCode run_serve(const ServeOptions& options) {
  const linalg::OneBlasThread serial;  // clients are served in parallel instead
  const run::Config config = run::read_config(options.problem, parse_overrides(options.set));
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const umbridge::Models models = umbridge::posterior_models(run::build_posterior(config, problem));
  std::string names;
  for (const auto& model : models) names += (names.empty() ? "" : ", ") + model->name();
  protect_results();  // Ctrl-C ends the server, not the process
  serve_http(
      {options.host, options.port, options.connections},
      [&](const HttpRequest& request) -> HttpResponse {
        umbridge::Response found = umbridge::respond(models, request.method, request.path, request.body);
        return {found.status, std::move(found.body)};
      },
      [&] {
        print("serving {} at http://{}:{}; Ctrl-C ends it\n", names, options.host, options.port);
        std::fflush(stdout);
      },
      [] { return interrupted(); });
  return interrupted() ? success : failed;
}

}  // namespace varimesh::cli
