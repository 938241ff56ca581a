#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "progress.h"

namespace varimesh::cli {

/// The exit codes that scripts may rely on.
enum ExitCode { success = 0, failed = 1, bad_input = 2, interrupted_by_user = 3 };

struct RunOptions {
  std::string problem;
  std::vector<std::string> methods;  ///< empty: those of the file
  std::vector<std::string> set;      ///< key=value
  std::filesystem::path out;         ///< empty: PROBLEM-results
  std::optional<std::uint64_t> seed;
  std::string budget;  ///< of auto; empty: the file's
  int threads = 0;     ///< 0: as many as there are cores
  bool resume = false, force = false;
  Verbosity verbosity = Verbosity::normal;
  std::string command;  ///< as it was typed, for the report
};
ExitCode run_run(RunOptions options);

struct PredictOptions {
  std::filesystem::path results;
  std::string problem;
  std::vector<std::string> set;
  std::filesystem::path out;   ///< empty: PROBLEM-predictions
  std::optional<Index> draws;  ///< fresh ones of fitted distributions
  std::uint64_t seed = 1;
  int threads = 0;
  bool force = false;
  Verbosity verbosity = Verbosity::normal;
  std::string command;
};
ExitCode run_predict(PredictOptions options);

struct ReportOptions {
  std::vector<std::filesystem::path> results;
  std::filesystem::path out;  ///< empty: report.html in the first directory
  int threads = 0;
  std::string command;
};
ExitCode run_report(ReportOptions options);

struct NewOptions {
  std::string kind = "2d";
  std::filesystem::path out;  ///< empty: named after the kind
  std::uint64_t seed = 1;
};
ExitCode run_new(NewOptions options);
/// The kinds there are, for --help.
std::string new_kinds_help();

struct SampleOptions {
  std::filesystem::path results, points;
  std::string method;    ///< empty: the only one
  std::string from, to;  ///< ends of a line, "0.5,1"
  Index count = 101;     ///< points on it
  Index raster = 0;      ///< pixels along x; 0: none
  std::optional<int> epsg;
  std::filesystem::path out;  ///< empty: standard output; of a raster, fields.tif beside the results
};
ExitCode run_sample(SampleOptions options);

struct CheckOptions {
  std::string problem;
  std::vector<std::string> set;
  std::uint64_t seed = 1;
};
ExitCode run_check(const CheckOptions& options);

struct ServeOptions {
  std::string problem;
  std::vector<std::string> set;
  std::string host = "127.0.0.1";
  int port = 4242;
  int connections = 32;  ///< at once
};
ExitCode run_serve(const ServeOptions& options);

struct EvaluateOptions {
  std::string problem, kappa;
  std::vector<std::string> set;
  std::filesystem::path out;  ///< empty: PROBLEM-evaluation
  bool json = false;
};
ExitCode run_evaluate(EvaluateOptions options);

struct DesignCommand {
  std::string problem;
  std::filesystem::path candidates;
  std::vector<std::string> set;
  Index choose = 10;
  std::string quantity;  ///< empty: the field
  bool from_prior = false;
  int threads = 0;
  std::filesystem::path out;  ///< empty: PROBLEM-design
};
ExitCode run_design(DesignCommand options);

struct EvidenceOptions {
  std::string problem;
  std::vector<std::string> alternatives;  ///< each "prior.key=value prior.key=value"
  std::vector<std::string> set;
  int threads = 0;
};
ExitCode run_evidence(const EvidenceOptions& options);

struct SimulateOptions {
  std::string problem, kappa;  ///< kappa empty: drawn from the prior
  std::vector<std::string> set;
  std::filesystem::path data, truth;  ///< empty: observations.data; truth.kappa, or truth.csv beside it
  std::uint64_t seed = 1;
  int refinements = 0;
  bool force = false;
};
ExitCode run_simulate(SimulateOptions options);

struct CalibrateOptions {
  std::string problem;
  std::vector<std::string> methods;  ///< empty: those of the file
  std::vector<std::string> set;
  std::filesystem::path out;  ///< empty: PROBLEM-calibration
  Index repeats = 100;
  std::optional<std::uint64_t> seed;  ///< none: that of the file
  int refinements = 0;
  int threads = 0;
  bool resume = false, force = false, quiet = false;
  std::string command;
};
ExitCode run_calibrate(CalibrateOptions options);

struct ReproduceOptions {
  std::string experiment = "all";
  std::filesystem::path out = "paper-results";
  Index seeds = 20;                 ///< draws of truth and data
  std::optional<Index> adam_steps;  ///< at most, of the paper's optimiser
  int threads = 0;
  bool force = false;
  Verbosity verbosity = Verbosity::normal;
  std::string command;
};
ExitCode run_reproduce(ReproduceOptions options);

}  // namespace varimesh::cli
