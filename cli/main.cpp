#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "interrupt.h"
#include "output.h"
#include "program.h"
#include "varimesh/allocation.h"
#include "varimesh/error.h"
#include "varimesh/quote.h"
#include "varimesh/suggest.h"

namespace varimesh::cli {
namespace {

std::string join(int argc, char** argv) {
  std::string line = "varimesh";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool plain = argument.find_first_of(" \t\n'\"\\$*?&;|<>()[]{}") == std::string::npos && !argument.empty();
    line += plain ? " " + argument : " " + quote(argument);
  }
  return line;
}

/// What is wrong with arguments that no option takes.
std::string describe_extras(const CLI::App& program) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  const CLI::App& command = chosen.empty() ? program : *chosen.front();
  const std::vector<std::string> extras = program.remaining(true);
  const auto option = std::find_if(extras.begin(), extras.end(), [](const auto& e) { return e.starts_with("-"); });
  if (option == extras.end())
    return fmt::format("{}: unexpected argument {}", command.get_name(), quote(extras.front()));
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  }
  return fmt::format("{}: unknown option {}, expected one of {}{}", command.get_name(), quote(*option),
                     quote_list(names), suggestion(*option, names));
}

int run_program(int argc, char** argv) {
  Command chosen;
  const std::unique_ptr<CLI::App> program = create_program(chosen, join(argc, argv));
  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : program->get_subcommands({})) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) == names.end())
      throw InputError(fmt::format("unknown command {}, expected one of {}{}", quote(argv[1]), quote_list(names),
                                   suggestion(argv[1], names)));
  }
  try {
    program->parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    throw InputError(describe_extras(*program));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program->exit(error);  // --help, --version
    throw InputError(
        fmt::format("{}; 'varimesh --help' and 'varimesh COMMAND --help' say what is expected", error.what()));
  }
  return chosen();
}

int run_guarded(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const InputError& error) {
    print_error("varimesh: {}\n", error.what());
    return bad_input;
  } catch (const Interrupted&) {
    print_error("varimesh: interrupted\n");
    return interrupted_by_user;
  } catch (const std::bad_alloc&) {
    print_error("varimesh: not enough memory for this problem\n");
    return failed;
  } catch (const std::exception& error) {
    print_error("varimesh: internal error: {}\n", error.what());
    return failed;
  }
}

}  // namespace
}  // namespace varimesh::cli

int main(int argc, char** argv) {
  varimesh::keep_freed_memory();
  varimesh::keep_reserve();
  varimesh::cli::reserve_standard_streams();
  varimesh::cli::watch_interrupts();
  const int exit_code = varimesh::cli::finish_output(varimesh::cli::run_guarded(argc, argv));
  // Without waiting for threads that were left behind in a library.
  if (varimesh::cli::interrupted()) std::_Exit(exit_code);
  return exit_code;
}
