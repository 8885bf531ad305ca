#include "experiments/support/wrong_arguments.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/shortened.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/mesh_keys.hpp"

namespace ninefold {
namespace {

/// Those that no option took, in the order in which they were written.
std::vector<std::string> left_over(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> some = app.remaining(true), ordered;
  for (int k = 1; k < argc; ++k) {
    const auto found = std::find(some.begin(), some.end(), argv[k]);
    if (found == some.end()) continue;
    ordered.push_back(*found);
    some.erase(found);
  }
  return ordered;
}

/// The other commands that have an option of this name.
std::vector<std::string> commands_with(const std::string& option, const CLI::App& app,
                                       const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* other : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (other != &command && other->get_option_no_throw("--" + option) != nullptr) {
      names.push_back(other->get_name());
    }
  }
  return names;
}

/// Whose option it is, another option, or how to set the key of this name.
std::string advice_on(const std::string& unknown, const std::string& next, const CLI::App& app,
                      const CLI::App& command) {
  const std::size_t start = unknown.find_first_not_of('-');
  if (start == 0 || start == std::string::npos) return "";
  const std::size_t equals = std::min(unknown.find('='), unknown.size());
  const std::string name = unknown.substr(start, equals - start);
  if (const auto others = commands_with(name, app, command); !others.empty()) {
    return fmt::format("\"--{}\" is an option of {} {}", name, app.get_name(),
                       fmt::join(others, ", "));
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& other : option->get_lnames()) options.push_back(other);
  }
  if (const auto near = near_name(name, options)) {
    return fmt::format("did you mean \"--{}\"?", *near);
  }
  // One letter is an option of other programs rather than a letter of the equation.
  if (name.size() < 2 || command.get_option_no_throw("--set") == nullptr) return "";
  std::vector<std::string> keys = near_keys(name, 4);
  const bool is_about_meshes = command.get_option_no_throw("--part") != nullptr;
  std::erase_if(keys,
                [&](const std::string& key) { return is_about_meshes && !concerns_meshes(key); });
  if (keys.empty()) return "";
  const std::string value = equals < unknown.size() ? unknown.substr(equals + 1) : next;
  return fmt::format("keys of the config file are set by --set, such as --set {}={}", keys.front(),
                     value.empty() ? "VALUE" : shortened(value));
}

}  // namespace

std::string wrong_arguments(const CLI::ParseError& error, const CLI::App& app, int argc,
                            const char* const* argv) {
  const auto commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  const bool required = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  const bool unexpected = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  std::string what = error.what(), advice;
  if (const auto extra = left_over(app, argc, argv); !extra.empty() && (required || unexpected)) {
    const std::string& first = extra.front();
    const std::string name = first.starts_with("-") ? first.substr(0, first.find('=')) : first;
    what = fmt::format("{} is not expected", shortened(name));
    const bool has_value = extra.size() > 1 && !extra[1].starts_with("-");
    const bool sets = command.get_option_no_throw("--set") != nullptr;
    if (first.starts_with("=") || (sets && first.ends_with("]"))) {
      advice = "KEY=VALUE is one word, without blanks or in quotes";
    } else if (sets && !first.starts_with("-") && first.find('=') != std::string::npos) {
      advice = fmt::format("each setting has a --set of its own: --set {}", shortened(first));
    } else {
      advice = advice_on(first, has_value ? extra[1] : "", app, command);
    }
  } else if (required && commands.empty()) {
    std::vector<std::string> names;
    for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(one->get_name());
    }
    if (!names.empty()) what = fmt::format("a command is missing: {}", fmt::join(names, ", "));
  }
  return fmt::format("{}{}{}\n  more: {}{} --help", what, advice.empty() ? "" : "\n  ", advice,
                     app.get_name(), commands.empty() ? "" : " " + command.get_name());
}

}  // namespace ninefold
