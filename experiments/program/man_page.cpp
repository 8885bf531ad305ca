#include "experiments/program/man_page.hpp"

#include <string_view>

#include <fmt/format.h>

#include "experiments/config/keys.hpp"

#include "ninefold/version.hpp"

namespace ninefold {
namespace {

/// A text that troff takes as it is.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '^') {
      result += "\\(ha";
    } else if (c == '~') {
      result += "\\(ti";
    } else if (c == '"') {
      result += "\\(dq";
    } else {
      result += c;
    }
  }
  // At the start of a line these would begin a request.
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string section(std::string_view heading) {
  return fmt::format(".SH {}\n", heading);
}

/// A term and, indented below it, what it means.
std::string item(const std::string& term, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", term, text);
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string slanted(std::string_view text) {
  return "\\fI" + plain(text) + "\\fR";
}

std::string synopsis(const CommandOutline& command) {
  std::string text = bold("ninefold " + command.name);
  if (const auto& argument = command.argument) {
    const std::string name = slanted(argument->kind);
    text += argument->required ? " " + name : " [" + name + "]";
  }
  if (!command.options.empty()) text += " [" + slanted("options") + "]";
  return text;
}

std::string options(const Outline& outline) {
  std::string text;
  for (const OptionOutline& option : options_of_commands(outline)) {
    const std::string value = option.is_flag() ? "" : " " + slanted(option.kind);
    text += item(bold(option.name) + value, plain(option.text));
  }
  return text + item(bold("--help"), "Print the help of the program, or of a command, and exit.")
         + item(bold("--help-all"), "Print the help of all commands and exit.")
         + item(bold("--version"), "Print the version and exit.");
}

std::string keys() {
  std::string text;
  for (const KeyTable& table : configuration_tables()) {
    text += fmt::format(".SS {}\n", plain(fmt::format("[{}]: {}", table.name, table.title)));
    for (const Key* key : keys_below(table.name)) {
      const std::string standard = default_of(*key);
      text += item(bold(key->name),
                   plain(key->text) + "\n.br\n" + plain(key->type)
                       + (key->allowed.empty() ? "" : ": " + plain(key->allowed))
                       + (standard.empty() ? "" : plain(" (default: " + standard + ")")));
    }
  }
  return text;
}

}  // namespace

std::string man_page(const Outline& outline) {
  // No date: the same source gives the same page.
  std::string text = fmt::format(".TH NINEFOLD 1 \"\" \"ninefold {}\" \"User Commands\"\n", version)
                     + section("NAME") + "ninefold \\- " + plain(outline.text) + "\n"
                     + section("SYNOPSIS");
  for (const CommandOutline& command : outline.commands) text += synopsis(command) + "\n.br\n";
  text += section("DESCRIPTION")
          + "A config file (TOML) describes a Poisson problem, its grids, a solver and the number "
            "format that it works in.\n"
          + bold("ninefold") + " solves it level by level, and says of each level how far the solver "
            "came and, where the solution is known, how large the error is.\n"
          + section("COMMANDS");
  for (const CommandOutline& command : outline.commands) {
    text += item(bold(command.name), plain(command.text));
  }
  text += section("OPTIONS") + options(outline) + section("KEYS OF CONFIG FILES") + keys()
          + ".SS [study]: several runs from one file\n"
            "Any key but those of [output] in quotation marks, each with a list of values; every "
            "combination is a run.\n"
          + section("EXIT STATUS");
  for (const auto& [status, meaning] : status_meanings()) {
    text += item(bold(fmt::format("{}", status)), plain(meaning));
  }
  return text + section("EXAMPLES") + ".nf\n" + plain("ninefold check first.toml") + "\n"
         + plain("ninefold solve first.toml --set grid.levels=[3,6] --output results/coarse") + "\n"
         + plain("ninefold help solver.tolerance") + "\n.fi\n";
}

}  // namespace ninefold
