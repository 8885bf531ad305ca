#include "experiments/program/completion.hpp"

#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grids/mesh/mesh_generators.hpp"

#include "experiments/config/keys.hpp"
#include "experiments/program/help.hpp"
#include "experiments/program/matrix_command.hpp"

namespace ninefold {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> names_of_keys() {
  std::vector<std::string> names;
  for (const Key& key : configuration_keys()) names.push_back(key.name);
  return names;
}

/// What help knows: commands, tables, keys.
std::vector<std::string> topics(const Outline& outline) {
  std::vector<std::string> names = names_of_commands(outline);
  for (const KeyTable& table : configuration_tables()) names.emplace_back(table.name);
  const std::vector<std::string> keys = names_of_keys();
  names.insert(names.end(), keys.begin(), keys.end());
  return names;
}

/// What a file may state.
std::vector<std::string> tables_and_keys() {
  std::vector<std::string> names{"study"};
  for (const KeyTable& table : configuration_tables()) names.emplace_back(table.name);
  const std::vector<std::string> keys = names_of_keys();
  names.insert(names.end(), keys.begin(), keys.end());
  return names;
}

std::vector<std::string> backends() {
  return words_of(*find_key("backend.name"));
}

/// "seed= mean= ..."
std::string features() {
  return fmt::format("{}=", fmt::join(feature_names(), "= "));
}

/// The command of bash that offers the values of one kind.
std::string bash_values(const std::string& kind, const Outline& outline) {
  const auto words = [](const std::vector<std::string>& some) {
    return fmt::format("_ninefold_words '{}'", joined(some));
  };
  if (kind == argument_kind::setting) return "_ninefold_keys";
  if (kind == argument_kind::key) return words(tables_and_keys());
  if (kind == argument_kind::folder) return "_ninefold_files -d";
  if (kind == argument_kind::file || kind == argument_kind::place) return "_ninefold_files -f";
  if (kind == argument_kind::config) return "_ninefold_configs";
  if (kind == argument_kind::backend) return words(backends());
  if (kind == argument_kind::topic) return words(topics(outline));
  if (kind == argument_kind::shell) return words(known_shells());
  if (kind == argument_kind::matrix) return "_ninefold_matrices";
  if (kind == argument_kind::mesh) return "_ninefold_meshes";
  if (kind == argument_kind::part) return words(words_of(*find_key("mesh.part")));
  if (kind == argument_kind::generator) {
    // Of both commands that generate: values go by the option's name alone.
    std::vector<std::string> names = generator_names();
    const std::vector<std::string>& surfaces = mesh_generator_names();
    names.insert(names.end(), surfaces.begin(), surfaces.end());
    return words(names);
  }
  if (kind == argument_kind::pins) return ":";
  if (kind == argument_kind::feature) return fmt::format("_ninefold_features '{}'", features());
  if (kind == argument_kind::count || kind == argument_kind::number) return ":";
  if (kind == argument_kind::text) return ":";
  throw std::logic_error("nothing completes a " + kind);
}

/// The same for zsh, as an action of _arguments.
std::string zsh_values(const std::string& kind, const Outline& outline) {
  const auto words = [](const std::vector<std::string>& some) {
    return fmt::format("({})", joined(some));
  };
  if (kind == argument_kind::setting) return "_ninefold_setting";
  if (kind == argument_kind::key) return words(tables_and_keys());
  if (kind == argument_kind::folder) return "_directories";
  if (kind == argument_kind::file || kind == argument_kind::place) return "_files";
  if (kind == argument_kind::config) return "_files -g \"*.toml\"";
  if (kind == argument_kind::backend) return words(backends());
  if (kind == argument_kind::topic) return words(topics(outline));
  if (kind == argument_kind::shell) return words(known_shells());
  if (kind == argument_kind::matrix) return "_files -g \"*.mtx *.mtx.gz\"";
  if (kind == argument_kind::mesh) return "_files -g \"*.off *.obj *.ply\"";
  if (kind == argument_kind::part) return words(words_of(*find_key("mesh.part")));
  if (kind == argument_kind::surface) return words(mesh_generator_names());
  if (kind == argument_kind::pins) return " ";
  if (kind == argument_kind::generator) return words(generator_names());
  if (kind == argument_kind::feature) return fmt::format("({})", features());
  if (kind == argument_kind::count || kind == argument_kind::number) return " ";
  if (kind == argument_kind::text) return " ";
  throw std::logic_error("nothing completes a " + kind);
}

/// Within single quotation marks of a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// As the description in a specification of _arguments.
std::string in_brackets(const std::string& text) {
  std::string result = "[";
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result + "]";
}

std::vector<std::string> option_names(const CommandOutline& command) {
  std::vector<std::string> names;
  for (const OptionOutline& option : command.options) names.push_back(option.name);
  names.emplace_back("--help");
  return names;
}

/// `KEY) COMMAND 'words' ;;` for every key that takes words.
std::string cases_of_keys(const std::string& pattern, const std::string& command,
                          const std::string& quote) {
  std::string cases;
  for (const Key& key : configuration_keys()) {
    const std::vector<std::string> words = words_of(key);
    if (words.empty()) continue;
    cases += fmt::format("    {}{}) {} {}{}{} ;;\n", pattern, key.name, command, quote,
                         joined(words), quote);
  }
  return cases;
}

}  // namespace

std::string bash_completion(const Outline& outline) {
  std::string commands, values = cases_of_keys("", "_ninefold_words", "'"), arguments;
  for (const OptionOutline& option : options_of_commands(outline)) {
    if (option.is_flag()) continue;
    values += fmt::format("    {}) {} ;;\n", option.name, bash_values(option.kind, outline));
  }
  for (const CommandOutline& command : outline.commands) {
    const auto& argument = command.argument;
    commands += fmt::format("    {}) _ninefold_options '{}' || {} ;;\n", command.name,
                            joined(option_names(command)),
                            argument ? bash_values(argument->kind, outline) : ":");
  }
  std::vector<std::string> first = names_of_commands(outline);
  for (const char* option : {"--help", "--help-all", "--version"}) first.emplace_back(option);
  return fmt::format(R"(# Completion of ninefold for bash, printed by: ninefold completion bash

_ninefold_words() {{ COMPREPLY=($(compgen -W "$1" -- "$current")); }}

_ninefold_files() {{
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  COMPREPLY=($(compgen "$@" -- "$current"))
}}

_ninefold_configs() {{
  _ninefold_files -f -X '!*.toml'
  local IFS=$'\n'
  COMPREPLY+=($(compgen -d -- "$current"))
}}

_ninefold_matrices() {{
  _ninefold_files -f -X '!*.mtx'
  local IFS=$'\n'
  COMPREPLY+=($(compgen -f -X '!*.mtx.gz' -- "$current") $(compgen -d -- "$current"))
}}

_ninefold_meshes() {{
  _ninefold_files -f -X '!*.off'
  local IFS=$'\n'
  COMPREPLY+=($(compgen -f -X '!*.obj' -- "$current") $(compgen -f -X '!*.ply' -- "$current")
              $(compgen -d -- "$current"))
}}

_ninefold_features() {{
  compopt -o nospace 2>/dev/null
  _ninefold_words "$1"
}}

_ninefold_keys() {{
  compopt -o nospace 2>/dev/null
  COMPREPLY=($(compgen -S = -W '{keys}' -- "$current"))
}}

# The options, where one is begun.
_ninefold_options() {{ [[ $current == -* ]] && _ninefold_words "$1"; }}

# What may follow "=", or an option.
_ninefold_values() {{
  case $1 in
{values}    *) return 1 ;;
  esac
}}

_ninefold() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _ninefold_words '{first}'
    return
  fi
  # For bash "=" is a word of its own, unless COMP_WORDBREAKS says otherwise.
  if [[ $current == = ]]; then
    current=
    _ninefold_values "$before"
    return
  fi
  if [[ $before == = ]]; then
    _ninefold_values "${{COMP_WORDS[COMP_CWORD - 2]}}"
    return
  fi
  if [[ $before == --set && $current == *=* ]]; then
    local key=${{current%%=*}}
    current=${{current#*=}}
    _ninefold_values "$key"
    COMPREPLY=("${{COMPREPLY[@]/#/$key=}}")
    return
  fi
  if [[ $before == --* ]] && _ninefold_values "$before"; then return; fi
  case ${{COMP_WORDS[1]}} in
{commands}  esac
}}

complete -F _ninefold ninefold
)",
                     fmt::arg("keys", joined(names_of_keys())), fmt::arg("values", values),
                     fmt::arg("first", joined(first)), fmt::arg("commands", commands));
}

std::string zsh_completion(const Outline& outline) {
  std::string keys, commands, arguments;
  for (const Key& key : configuration_keys()) {
    keys += fmt::format("    {}\n", quoted(key.name + ":" + key.text));
  }
  for (const CommandOutline& command : outline.commands) {
    commands += fmt::format("    {}\n", quoted(command.name + ":" + command.text));
    arguments += fmt::format("    {})\n      _arguments '(- *)--help[Print the help and exit]'",
                             command.name);
    for (const OptionOutline& option : command.options) {
      const std::string kind = option.kind;
      if (option.is_flag()) {
        arguments += " \\\n        " + quoted(option.name + in_brackets(option.text));
        continue;
      }
      arguments +=
          " \\\n        "
          + quoted((kind == argument_kind::setting || kind == argument_kind::feature ? "*" : "")
                   + option.name + "=" + in_brackets(option.text) + ":" + kind + ":"
                   + zsh_values(kind, outline));
    }
    if (const auto& argument = command.argument) {
      const std::string kind = argument->kind;
      arguments += " \\\n        " + quoted("1:" + kind + ":" + zsh_values(kind, outline));
    }
    arguments += " ;;\n";
  }
  return fmt::format(R"(#compdef ninefold
# Completion of ninefold for zsh, printed by: ninefold completion zsh

_ninefold_setting() {{
  local -a keys
  if compset -P '*='; then
    case ${{IPREFIX%=}} in
{values}    esac
    return
  fi
  keys=(
{keys}  )
  _describe -t keys key keys -qS =
}}

_ninefold() {{
  local curcontext=$curcontext state line
  local -a commands
  typeset -A opt_args
  commands=(
{commands}  )
  _arguments -C \
    '(- *)--help[Print the help and exit]' \
    '(- *)--help-all[Print the help of all commands and exit]' \
    '(- *)--version[Print the version and exit]' \
    '1: :->command' '*:: :->argument'
  case $state in
    command) _describe -t commands command commands; return ;;
  esac
  [[ $state == argument ]] || return
  case $words[1] in
{arguments}  esac
}}

_ninefold "$@"
)",
                     fmt::arg("values", cases_of_keys("*", "compadd --", "")),
                     fmt::arg("keys", keys), fmt::arg("commands", commands),
                     fmt::arg("arguments", arguments));
}

}  // namespace ninefold
