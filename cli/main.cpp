#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>

#include "commands.h"
#include "varimesh/error.h"
#include "varimesh/quote.h"
#include "varimesh/suggest.h"
#include "varimesh/version.h"

namespace varimesh::cli {
namespace {

/// What the command line asked for, to be run once it is parsed.
using Command = std::function<ExitCode()>;

constexpr std::uint64_t largest_seed = 1'000'000'000'000'000;

void add_check(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      program.add_subcommand("check", "Validate a problem file, show its size, and check its gradients");
  command->add_option("problem", options->problem, "The problem file (TOML)")->required();
  command->add_option("--seed", options->seed, "Seed of the kappa at which to check")
      ->check(CLI::Range(std::uint64_t{0}, largest_seed))
      ->capture_default_str();
  command->callback([&chosen, options] { chosen = [options] { return run_check(*options); }; });
}

void add_evaluate(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      program.add_subcommand("evaluate", "Predict the measurements for a given kappa, with the log-likelihood");
  command->add_option("problem", options->problem, "The problem file (TOML)")->required();
  command
      ->add_option("--kappa", options->kappa,
                   "The field: a number, or a CSV file with a column 'kappa' (or 'theta' = exp(kappa)), one row for "
                   "each unknown")
      ->required();
  command->add_option(
      "--out", options->out,
      "Directory for predictions.csv, u.csv and picture.svg (in 1D and 2D, up to 50,000 cells) [PROBLEM-evaluation]");
  command->add_flag("--json", options->json, "Print the result as JSON");
  command->callback([&chosen, options] { chosen = [options] { return run_evaluate(*options); }; });
}

void add_simulate(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = program.add_subcommand("simulate", "Make a test problem: a truth, and noisy data at the sensors");
  command->add_option("problem", options->problem, "The problem file (TOML)")->required();
  command->add_option("--kappa", options->kappa,
                      "The truth: a number, or a CSV file with a column 'kappa' (or 'theta') [drawn from the prior]");
  command->add_option("--seed", options->seed, "Seed of truth and noise")
      ->check(CLI::Range(std::uint64_t{0}, largest_seed))
      ->capture_default_str();
  command->add_option("--refine", options->refinements, "Compute the data on a mesh refined so many times")
      ->check(CLI::Range(0, 6))
      ->capture_default_str();
  command->add_option("--data", options->data, "The data file to write [observations.data]");
  command->add_option("--truth", options->truth, "The truth file to write [truth.csv beside the data]");
  command->add_flag("--force", options->force, "Overwrite existing files");
  command->callback([&chosen, options] { chosen = [options] { return run_simulate(*options); }; });
}

int run_program(int argc, char** argv) {
  CLI::App program("Infers a spatially varying PDE coefficient from noisy measurements, with uncertainty.", "varimesh");
  program.set_version_flag("--version", "varimesh " + std::string(version()));
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 success, 1 a check failed or an internal error, 2 bad input.\n"
      "'varimesh COMMAND --help' explains a command.");
  Command chosen;
  add_check(program, chosen);
  add_evaluate(program, chosen);
  add_simulate(program, chosen);
  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) == names.end())
      throw InputError(fmt::format("unknown command {}, expected one of {}{}", quote(argv[1]), quote_list(names),
                                   suggestion(argv[1], names)));
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    throw InputError(
        fmt::format("{}; 'varimesh --help' and 'varimesh COMMAND --help' say what is expected", error.what()));
  }
  return chosen();
}

}  // namespace
}  // namespace varimesh::cli

int main(int argc, char** argv) {
  using namespace varimesh;
  try {
    return cli::run_program(argc, argv);
  } catch (const InputError& error) {
    fmt::print(stderr, "varimesh: {}\n", error.what());
    return cli::bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "varimesh: not enough memory for this problem\n");
    return cli::failed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "varimesh: internal error: {}\n", error.what());
    return cli::failed;
  }
}
