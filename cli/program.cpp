#include "program.h"

#include <fmt/format.h>

#include "output.h"
#include "varimesh/run/toml_reader.h"
#include "varimesh/version.h"

namespace varimesh::cli {
namespace {

constexpr int most_threads = 1024;
const char* const problem_help = "The problem file (TOML)";

/// A number of limited size; the limits are said only when they are broken.
template <class Number>
CLI::Validator within(Number least, Number most) {
  return CLI::Range(least, most).description("");
}

void add_seed(CLI::App* command, std::uint64_t& seed, const char* help) {
  command->add_option("--seed", seed, help)
      ->check(within(std::uint64_t{0}, run::largest_seed))
      ->type_name("N")
      ->capture_default_str();
}

void add_seed(CLI::App* command, std::optional<std::uint64_t>& seed) {
  command->add_option("--seed", seed, "Seed of all that is random [that of the file, or 1]")
      ->check(within(std::uint64_t{0}, run::largest_seed))
      ->type_name("N");
}

void add_threads(CLI::App* command, int& threads) {
  command->add_option("--threads", threads, "Threads; results do not depend on them [as many as there are cores]")
      ->check(within(1, most_threads))
      ->type_name("N");
}

void add_set(CLI::App* command, std::vector<std::string>& set) {
  command
      ->add_option("--set", set,
                   "Override a key of the problem file, such as prior.sigma=2 or method.chains.draws=5000")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

void add_verbosity(CLI::App* command, Verbosity& verbosity) {
  auto* quiet = command->add_flag_callback("-q,--quiet", [&] { verbosity = Verbosity::quiet; }, "Print problems only");
  command->add_flag_callback(
             "-v,--verbose", [&] { verbosity = Verbosity::verbose; }, "Show every iteration")
      ->excludes(quiet);
}

void add_methods(CLI::App* command, std::vector<std::string>& methods) {
  command
      ->add_option("-m,--method", methods,
                   "auto (a fit where it is proven good, otherwise exact draws), low_rank, fcvb, pmvb, mfvb, laplace, "
                   "mixture (fitted distributions), "
                   "nuts, hmc, pcn (chains); several are compared [those of the file, or auto]")
      ->type_name("NAME")
      ->delimiter(',');
}

void add_run(CLI::App& program, Command& chosen, const std::string& command_line) {
  auto options = std::make_shared<RunOptions>();
  options->command = command_line;
  CLI::App* command = program.add_subcommand(
      "run", "Infer kappa from the measurements, with its uncertainty, by one or several methods");
  command->add_option("problem", options->problem, problem_help);
  add_methods(command, options->methods);
  command
      ->add_option(
          "--budget", options->budget,
          "Time that auto may take, such as 30s, 2min or 1h; its fit is finished in any case [that of the file, "
          "or 2min]")
      ->type_name("TIME");
  add_seed(command, options->seed);
  add_threads(command, options->threads);
  command->add_option("-o,--out", options->out, "Directory for the results [PROBLEM-results beside the problem file]")
      ->type_name("DIR");
  add_set(command, options->set);
  auto* resume = command->add_flag("--resume", options->resume,
                                   "Go on with an interrupted run, or extend a finished one by more draws or methods");
  command->add_flag("--force", options->force, "Replace results that are there")->excludes(resume);
  add_verbosity(command, options->verbosity);
  command->footer(
      "Writes DIR/report.html, and for each method DIR/METHOD/ with summary.json, kappa.csv, posterior.nc (ArviZ),\n"
      "fields.vtu and fields.pvd (ParaView). Ctrl-C writes what is there and ends with exit code 3.");
  command->callback([&chosen, options] { chosen = [options] { return run_run(*options); }; });
}

void add_predict(CLI::App& program, Command& chosen, const std::string& command_line) {
  auto options = std::make_shared<PredictOptions>();
  options->command = command_line;
  CLI::App* command = program.add_subcommand(
      "predict", "Take the inferred field to another load case: other forcing, boundary values or sensors");
  command->add_option("results", options->results, "A directory that 'varimesh run' made")
      ->required()
      ->type_name("DIR");
  command->add_option("problem", options->problem, "A problem file with the same mesh: the other load case")
      ->required();
  command->add_option("-o,--out", options->out, "Directory for the predictions [PROBLEM-predictions]")
      ->type_name("DIR");
  command->add_option("--draws", options->draws, "Number of fresh draws of fitted distributions [those in the results]")
      ->check(within(2, 100'000'000))
      ->type_name("N");
  add_seed(command, options->seed, "Seed of fresh draws");
  add_threads(command, options->threads);
  add_set(command, options->set);
  command->add_flag("--force", options->force, "Replace predictions that are there");
  add_verbosity(command, options->verbosity);
  command->callback([&chosen, options] { chosen = [options] { return run_predict(*options); }; });
}

void add_report(CLI::App& program, Command& chosen, const std::string& command_line) {
  auto options = std::make_shared<ReportOptions>();
  options->command = command_line;
  CLI::App* command = program.add_subcommand("report", "Make the report again, or one of several runs together");
  command->add_option("results", options->results, "Directories that 'varimesh run' made")
      ->required()
      ->type_name("DIR");
  command->add_option("-o,--out", options->out, "The file to write [report.html in the first directory]")
      ->type_name("FILE");
  add_threads(command, options->threads);
  command->callback([&chosen, options] { chosen = [options] { return run_report(*options); }; });
}

void add_sample(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<SampleOptions>();
  CLI::App* command = program.add_subcommand(
      "sample", "Write what a result says at points or on a line, as CSV, or on a raster, as GeoTIFF");
  command->add_option("results", options->results, "A directory that 'varimesh run' or 'varimesh predict' made")
      ->required()
      ->type_name("DIR");
  command->add_option("points", options->points, "A CSV file with the columns x, y, z of the mesh's dimension")
      ->type_name("FILE");
  command->add_option("-m,--method", options->method, "The method whose result to take, if there are several")
      ->type_name("NAME");
  command->add_option("--from", options->from, "Where a line begins, such as 0,0.5")->type_name("POINT");
  command->add_option("--to", options->to, "Where it ends")->type_name("POINT");
  command->add_option("--count", options->count, "Points on the line")
      ->check(within(1, 10'000'000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--raster", options->raster, "Write a GeoTIFF of a plane mesh, with N square pixels along x")
      ->check(within(1, 100'000))
      ->type_name("N");
  command->add_option("--epsg", options->epsg, "The raster's projected coordinate system, such as 25832")
      ->check(within(1024, 32766))
      ->type_name("N");
  command->add_option("-o,--out", options->out, "The file to write [standard output; of a raster, fields.tif in DIR]")
      ->type_name("FILE");
  command->footer(
      "Columns, or bands: mean, sd and quantiles of kappa and of u, and quantiles of exp(kappa). A CSV file's own "
      "columns\n"
      "come first; points outside the mesh have nan.");
  command->callback([&chosen, options] { chosen = [options] { return run_sample(*options); }; });
}

void add_new(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<NewOptions>();
  CLI::App* command = program.add_subcommand("new", "Write a commented problem with data, ready to run");
  command->add_option("kind", options->kind, new_kinds_help())->capture_default_str();
  command->add_option("-o,--out", options->out, "The directory to make [named after the kind]")->type_name("DIR");
  add_seed(command, options->seed, "Seed of the made-up truth and data");
  command->callback([&chosen, options] { chosen = [options] { return run_new(*options); }; });
}

void add_check(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      program.add_subcommand("check", "Validate a problem file, show its size, and check its gradients");
  command->add_option("problem", options->problem, problem_help)->required();
  add_seed(command, options->seed, "Seed of the kappa at which to check");
  add_set(command, options->set);
  command->callback([&chosen, options] { chosen = [options] { return run_check(*options); }; });
}

void add_evaluate(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      program.add_subcommand("evaluate", "Predict the measurements for a given kappa, with the log-likelihood");
  command->add_option("problem", options->problem, problem_help)->required();
  command
      ->add_option("--kappa", options->kappa,
                   "The field: a number, or a CSV file with a column 'kappa' (or 'mean', or 'theta' = exp(kappa)), one "
                   "row for each unknown")
      ->required();
  command
      ->add_option("-o,--out", options->out,
                   "Directory for predictions.csv, u.csv and picture.svg (in 1D and 2D, up to 50,000 cells) "
                   "[PROBLEM-evaluation]")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "Print the result as JSON");
  add_set(command, options->set);
  command->callback([&chosen, options] { chosen = [options] { return run_evaluate(*options); }; });
}

void add_serve(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command =
      program.add_subcommand("serve", "Serve the model and the posterior to other programs, by UM-Bridge over HTTP");
  command->add_option("problem", options->problem, problem_help)->required();
  command->add_option("--port", options->port, "The port to listen at")
      ->check(within(1, 65535))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--host", options->host, "The address to listen at; 0.0.0.0 lets everybody in who reaches it")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command->add_option("--connections", options->connections, "How many clients are served at once")
      ->check(within(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  add_set(command, options->set);
  command->footer(
      "Models: forward (unknowns to predictions), log_likelihood, posterior, and posterior_whitened, whose prior is "
      "N(0, "
      "1), "
      "so that\n"
      "any sampler mixes well. docs/umbridge.md says more. Ctrl-C ends it.");
  command->callback([&chosen, options] { chosen = [options] { return run_serve(*options); }; });
}

void add_design(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<DesignCommand>();
  CLI::App* command = program.add_subcommand("design", "Choose where to measure next, among candidates");
  command->add_option("problem", options->problem, problem_help)->required();
  command
      ->add_option("candidates", options->candidates,
                   "A CSV file with the columns x, y, z of the mesh's dimension, or node, and perhaps sigma and label")
      ->required()
      ->type_name("FILE");
  command->add_option("--choose", options->choose, "How many to choose")
      ->check(within(1, 10'000))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--quantity", options->quantity,
                   "The quantity of the problem that is to be known best [the whole field]")
      ->type_name("NAME");
  command->add_flag("--prior", options->from_prior, "As if nothing had been measured [the data in the problem count]");
  add_threads(command, options->threads);
  command->add_option("-o,--out", options->out, "Directory for design.html and design.csv [PROBLEM-design]")
      ->type_name("DIR");
  add_set(command, options->set);
  command->footer(
      "Sensors are chosen one after the other, each for the information that it is expected to add to those before "
      "it\nand to the data, in the model linearised at the mean of a fit.");
  command->callback([&chosen, options] { chosen = [options] { return run_design(*options); }; });
}

void add_evidence(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<EvidenceOptions>();
  CLI::App* command =
      program.add_subcommand("evidence", "Compare priors by how probable the data are with each of them");
  command->add_option("problem", options->problem, problem_help)->required();
  command
      ->add_option(
          "alternatives", options->alternatives,
          "Other priors, each as what it changes: prior.kernel=matern12, or several keys in quotes, with spaces")
      ->required()
      ->type_name("KEY=VALUE");
  add_threads(command, options->threads);
  add_set(command, options->set);
  command->callback([&chosen, options] { chosen = [options] { return run_evidence(*options); }; });
}

void add_simulate(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = program.add_subcommand("simulate", "Make a test problem: a truth, and noisy data at the sensors");
  command->add_option("problem", options->problem, problem_help)->required();
  command->add_option("--kappa", options->kappa,
                      "The truth: a number, or a CSV file with a column 'kappa' (or 'theta') [drawn from the prior]");
  add_seed(command, options->seed, "Seed of truth and noise");
  command->add_option("--refine", options->refinements, "Refine the mesh on which the data are computed N times")
      ->check(within(0, 6))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--data", options->data, "The data file to write [observations.data]");
  command->add_option("--truth", options->truth, "The truth file to write [truth.kappa, or truth.csv beside the data]");
  command->add_flag("--force", options->force, "Overwrite existing files");
  add_set(command, options->set);
  command->callback([&chosen, options] { chosen = [options] { return run_simulate(*options); }; });
}

void add_calibrate(CLI::App& program, Command& chosen, const std::string& command_line) {
  auto options = std::make_shared<CalibrateOptions>();
  options->command = command_line;
  CLI::App* command = program.add_subcommand(
      "calibrate", "Test whether a method's error bars hold: infer many truths drawn from the prior");
  command->add_option("problem", options->problem, problem_help);
  add_methods(command, options->methods);
  command->add_option("--repeats", options->repeats, "Truths to draw and infer")
      ->check(within(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--refine", options->refinements, "Refine the mesh on which the data are computed N times")
      ->check(within(0, 6))
      ->type_name("N")
      ->capture_default_str();
  add_seed(command, options->seed);
  add_threads(command, options->threads);
  command->add_option("-o,--out", options->out, "Directory for the results [PROBLEM-calibration]")->type_name("DIR");
  add_set(command, options->set);
  auto* resume = command->add_flag("--resume", options->resume, "Keep repeats that are there, and add those missing");
  command->add_flag("--force", options->force, "Replace results that are there")->excludes(resume);
  command->add_flag("-q,--quiet", options->quiet, "Print problems only");
  command->footer(
      "Writes DIR/calibration.html, calibration.json and repeats.jsonl, a line for each finished repeat. Data are not\n"
      "needed: sensors and noise are those of the problem. Exit code 1 if a method is not calibrated; Ctrl-C keeps\n"
      "finished repeats and ends with exit code 3.");
  command->callback([&chosen, options] { chosen = [options] { return run_calibrate(*options); }; });
}

void add_reproduce(CLI::App& program, Command& chosen, const std::string& command_line) {
  auto options = std::make_shared<ReproduceOptions>();
  options->command = command_line;
  CLI::App* command = program.add_subcommand(
      "reproduce", "Compute the experiments of the paper anew, and say which of its claims hold");
  command->add_option("experiment", options->experiment, "poisson-1d, poisson-2d, benchmark, bimodal or all")
      ->capture_default_str();
  command->add_option("-o,--out", options->out, "Directory for the results")->type_name("DIR")->capture_default_str();
  command->add_option("--seeds", options->seeds, "Draws of truth and data, for the errors and the coverage; 1 is quick")
      ->check(within(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option(
          "--adam-steps", options->adam_steps,
          "Steps at most of the paper's optimiser, in all cases whose times the paper has [as many as the paper's: "
          "150,000 for MFVB, else 500,000, in 2D for one case; a hundredth with --seeds 1; 100,000 for the "
          "benchmark, 10,000 with --seeds 1]")
      ->check(within(1, 100'000'000))
      ->type_name("N");
  add_threads(command, options->threads);
  command->add_flag("--force", options->force, "Compute everything anew, instead of reading what is there");
  add_verbosity(command, options->verbosity);
  command->footer(
      "Writes the page DIR/paper.html, or DIR/EXPERIMENT.html of one experiment, and every run in a directory of its "
      "own, which\n"
      "'varimesh report' and 'varimesh predict' read. Ctrl-C ends with exit code 3; the same command goes on where it "
      "was.");
  command->callback([&chosen, options] { chosen = [options] { return run_reproduce(*options); }; });
}

/// What is said about the program itself, made from the options above, so that it cannot lag behind them.
void add_documentation(CLI::App& program, Command& chosen) {
  CLI::App* completion = program.add_subcommand("completion", "Print a script that completes commands in a shell");
  auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer("For example: source <(varimesh completion bash)");
  completion->callback([&program, &chosen, shell] {
    chosen = [&program, shell] {
      print("{}", completion_script(program, *shell));
      return success;
    };
  });
  CLI::App* manual = program.add_subcommand("man", "Print the manual page: varimesh man | man -l -");
  manual->callback([&program, &chosen] {
    chosen = [&program] {
      print("{}", manual_page(program));
      return success;
    };
  });
}

}  // namespace

std::unique_ptr<CLI::App> create_program(Command& chosen, const std::string& command_line) {
  auto program = std::make_unique<CLI::App>(
      "Infers a spatially varying PDE coefficient from noisy measurements, with uncertainty.", "varimesh");
  program->set_version_flag("--version", "varimesh " + std::string(version()));
  program->require_subcommand(1);
  program->footer(
      "Exit codes: 0 success; 1 a check or a method failed, or an internal error; 2 bad input; 3 interrupted.\n"
      "'varimesh COMMAND --help' explains a command. To begin: varimesh new 2d && varimesh run 2d/problem.toml");
  add_new(*program, chosen);
  add_run(*program, chosen, command_line);
  add_predict(*program, chosen, command_line);
  add_report(*program, chosen, command_line);
  add_sample(*program, chosen);
  add_check(*program, chosen);
  add_evaluate(*program, chosen);
  add_serve(*program, chosen);
  add_design(*program, chosen);
  add_evidence(*program, chosen);
  add_simulate(*program, chosen);
  add_calibrate(*program, chosen, command_line);
  add_reproduce(*program, chosen, command_line);
  add_documentation(*program, chosen);
  return program;
}

}  // namespace varimesh::cli
