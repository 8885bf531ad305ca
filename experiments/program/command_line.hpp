#pragma once
// The command line of ninefold: its commands and options, of which the help, the man page and the
// completion of shells are made.
//
// Tests.  tests/experiments/program.py, tests/experiments/first_contact.py

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace ninefold {

/// What a command line says.
struct Arguments {
  std::string file;
  std::vector<std::string> settings;  ///< of --set, as written
  std::string output, backend, json;
  std::string topic;  ///< of help
  std::string shell;  ///< of completion
};

/// What the values of options are, their type names, and what positional arguments are, their
/// names.
namespace argument_kind {
inline constexpr const char *setting = "KEY=VALUE", *folder = "DIR", *file = "FILE",
                            *backend = "NAME", *config = "CONFIG", *topic = "TOPIC",
                            *shell = "SHELL";
}

/// A parser that writes to `arguments`, which must outlive it.
std::unique_ptr<CLI::App> make_command_line(Arguments& arguments);

/// Its commands, in the order of the help.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
std::vector<std::string> names_of_commands(const CLI::App& app);

/// The options of a command that are written with hyphens, without those for help.
std::vector<const CLI::Option*> options_of(const CLI::App& command);

/// The argument of a command that is not an option, or nullptr.
const CLI::Option* argument_of(const CLI::App& command);

/// The shells that can complete.
const std::vector<std::string>& known_shells();

/// What the program returns, and what that means.
const std::vector<std::pair<int, std::string_view>>& status_meanings();

}  // namespace ninefold
