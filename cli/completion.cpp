// completion_script of program.h.
#include <fmt/format.h>

#include "program.h"
#include "templates.h"
#include "varimesh/run/method_config.h"

namespace varimesh::cli {
namespace {

/// The names of options as one types them, of a command.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string_view> template_kinds() {
  std::vector<std::string_view> kinds;
  for (const Template& t : templates()) kinds.push_back(t.kind);
  return kinds;
}

std::string bash(const CLI::App& program) {
  std::string commands, cases;
  for (const CLI::App* command : program.get_subcommands({})) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("    {}) options='{}' ;;\n", command->get_name(), fmt::join(option_names(*command), " "));
  }
  return fmt::format(R"(# Completion of varimesh in bash: source <(varimesh completion bash)
_varimesh() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} options=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{0} --help --version' -- "$word")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{1}  esac
  if [[ $previous == --method || $previous == -m ]]; then
    mapfile -t COMPREPLY < <(compgen -W '{2}' -- "$word")
  elif [[ ${{COMP_WORDS[1]}} == new && COMP_CWORD -eq 2 && $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '{3}' -- "$word")
  elif [[ $previous == --out || $previous == -o || ${{COMP_WORDS[1]}} == report || ( ${{COMP_WORDS[1]}} == sample && COMP_CWORD -eq 2 ) ]]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
  elif [[ ${{COMP_WORDS[1]}} == completion ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _varimesh varimesh
)",
                     commands, cases, fmt::join(run::method_names, " "), fmt::join(template_kinds(), " "));
}

std::string zsh(const CLI::App& program) {
  return "#compdef varimesh\n# Completion of varimesh in zsh: source <(varimesh completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash(program);
}

/// In single quotes for fish.
std::string fish_quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish(const CLI::App& program) {
  std::string script = "# Completion of varimesh in fish: varimesh completion fish | source\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    script += fmt::format("complete -c varimesh -f -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                          fish_quote(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames())
        script += fmt::format("complete -c varimesh -n '__fish_seen_subcommand_from {}' -l {} -d {}\n",
                              command->get_name(), name, fish_quote(option->get_description()));
    }
  }
  script += fmt::format(
      "complete -c varimesh -x -n '__fish_seen_subcommand_from run calibrate sample' -s m -l method -a '{}'\n",
      fmt::join(run::method_names, " "));
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& program, const std::string& shell) {
  if (shell == "zsh") return zsh(program);
  return shell == "fish" ? fish(program) : bash(program);
}

}  // namespace varimesh::cli
