// manual_page of program.h.
#include <fmt/format.h>

#include "program.h"
#include "varimesh/version.h"

namespace varimesh::cli {
namespace {

/// Text that roff shows as it is.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  if (!result.empty() && (result.front() == '.' || result.front() == '\'')) result.insert(0, "\\&");
  return result;
}

std::string option_entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  if (names.empty()) names = option.get_name();
  std::string entry = fmt::format(".TP\n\\fB{}\\fR", roff(names));
  if (option.get_type_size() != 0 && !option.get_positional())
    entry += fmt::format(" \\fI{}\\fR", roff(option.get_type_name()));
  return entry + "\n" + roff(option.get_description()) + "\n";
}

std::string command_section(const CLI::App& command) {
  std::string section =
      fmt::format(".SS varimesh {}\n{}.\n", roff(command.get_name()), roff(command.get_description()));
  for (const CLI::Option* option : command.get_options()) {
    if (option->check_lname("help")) continue;
    section += option_entry(*option);
  }
  if (command.get_footer() != command.get_parent()->get_footer())
    section += ".PP\n" + roff(command.get_footer()) + "\n";
  return section;
}

}  // namespace

std::string manual_page(const CLI::App& program) {
  std::string page = fmt::format(
      ".TH VARIMESH 1 \"\" \"varimesh {0}\" \"User Commands\"\n"
      ".SH NAME\nvarimesh \\- {1}\n"
      ".SH SYNOPSIS\n.B varimesh\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\n"
      "A problem file in TOML names a mesh, an elliptic equation, sensor data and a prior. varimesh fits distributions "
      "to, or\n"
      "samples, the coefficient field that explains the data, and writes a report and files for ParaView and Python.\n"
      ".SH COMMANDS\n",
      roff(std::string(version())), roff("infers a spatially varying PDE coefficient from noisy measurements"));
  for (const CLI::App* command : program.get_subcommands({})) page += command_section(*command);
  page +=
      ".SH EXIT STATUS\n.TP\n0\nSuccess.\n.TP\n1\nA check or a method failed, or an internal error.\n.TP\n2\nBad "
      "input.\n"
      ".TP\n3\nInterrupted; what there was has been written, and \\-\\-resume goes on.\n"
      ".SH EXAMPLES\n.nf\nvarimesh new 2d\nvarimesh run 2d/problem.toml \\-\\-method pmvb,nuts\n.fi\n";
  return page;
}

}  // namespace varimesh::cli
