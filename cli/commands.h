#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace varimesh::cli {

/// The exit codes that scripts may rely on.
enum ExitCode { success = 0, failed = 1, bad_input = 2 };

struct CheckOptions {
  std::string problem;
  std::uint64_t seed = 1;
};
ExitCode run_check(const CheckOptions& options);

struct EvaluateOptions {
  std::string problem, kappa;
  std::filesystem::path out;  ///< empty: PROBLEM-evaluation
  bool json = false;
};
ExitCode run_evaluate(EvaluateOptions options);

struct SimulateOptions {
  std::string problem, kappa;         ///< kappa empty: drawn from the prior
  std::filesystem::path data, truth;  ///< empty: observations.data, and truth.csv beside it
  std::uint64_t seed = 1;
  int refinements = 0;
  bool force = false;
};
ExitCode run_simulate(SimulateOptions options);

}  // namespace varimesh::cli
