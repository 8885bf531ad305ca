#pragma once
// What a command line offers, as plain data: of it the help, the man page and the completion of
// shells are made.
//
// Tests.  tests/experiments/program/help_test.cpp, tests/experiments/first_contact.py

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ninefold {

/// What the values of options are, their type names, and what positional arguments are, their
/// names.
namespace argument_kind {
inline constexpr const char *setting = "KEY=VALUE", *key = "KEY", *folder = "DIR", *file = "FILE",
                            *backend = "NAME", *config = "CONFIG", *topic = "TOPIC",
                            *shell = "SHELL", *matrix = "MATRIX", *generator = "GENERATOR",
                            *mesh = "MESH", *surface = "SURFACE", *part = "PART", *pins = "A,B",
                            *count = "N", *number = "NUMBER", *feature = "NAME=NUMBER",
                            *place = "PLACE", *text = "TEXT";
}

struct OptionOutline {
  std::string name;  ///< with its hyphens
  std::string kind;  ///< of its values, as argument_kind says; empty of one without
  std::string text;

  bool is_flag() const { return kind.empty(); }
};

struct ArgumentOutline {
  std::string kind;  ///< as argument_kind says
  bool required = false;
};

struct CommandOutline {
  std::string name, text;
  std::string help;                         ///< what --help prints
  std::vector<OptionOutline> options;       ///< without those for help
  std::optional<ArgumentOutline> argument;  ///< what is not an option
};

struct Outline {
  std::string text;
  std::string help;
  std::vector<CommandOutline> commands;  ///< in the order of the help
};

std::vector<std::string> names_of_commands(const Outline& outline);

/// All options of the commands, each once.
std::vector<OptionOutline> options_of_commands(const Outline& outline);

/// The shells that can complete.
const std::vector<std::string>& known_shells();

/// What the program returns, and what that means.
const std::vector<std::pair<int, std::string_view>>& status_meanings();

/// The same of the commands that make a page of results.
const std::vector<std::pair<int, std::string_view>>& page_status_meanings();

/// The same of the command that checks.
const std::vector<std::pair<int, std::string_view>>& check_status_meanings();

/// The same of the command that lays a mesh flat.
const std::vector<std::pair<int, std::string_view>>& mesh_status_meanings();

/// The same of the command that looks at a matrix.
const std::vector<std::pair<int, std::string_view>>& matrix_status_meanings();

}  // namespace ninefold
