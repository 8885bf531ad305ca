#include "experiments/program/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/shortened.hpp"

#include "grids/mesh/mesh_file.hpp"
#include "grids/mesh/mesh_generators.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/mesh_settings.hpp"

#include "ninefold/version.hpp"

namespace ninefold {
namespace {

std::string statuses(const std::vector<std::pair<int, std::string_view>>& meanings) {
  std::string text = "Status:\n";
  for (const auto& [status, meaning] : meanings) {
    text += fmt::format("  {:<3}  {}\n", status, meaning);
  }
  return text;
}

std::string first_steps() {
  return "A first run:\n"
         "  ninefold check first.toml      what it will do, and the memory it needs\n"
         "  ninefold solve first.toml --set grid.levels=[3,6]\n\n"
         "  ninefold help                  all keys of config files\n"
         "  ninefold help solver           the keys of a table\n"
         "  ninefold help solver.method    a key: meaning, values, default\n\n";
}

/// For options that name something: an empty name would be as if they were not there.
std::string require_name(const std::string& text) {
  return text.empty() ? "a name is expected" : "";
}

void add_config(CLI::App& command, Arguments& arguments) {
  command.footer(statuses(status_meanings()));
  command.add_option(argument_kind::config, arguments.file, "the config file (TOML)")
      ->type_name("")
      ->required();
  command
      .add_option("--without", arguments.without,
                  "leave a table or a key of the file aside, such as study; may be repeated")
      ->type_name(argument_kind::key)
      ->check(require_name)
      ->allow_extra_args(false);
}

void add_run_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--set", arguments.settings,
                  "override a key of the file, such as solver.tolerance=1e-8; may be repeated")
      ->type_name(argument_kind::setting)
      ->allow_extra_args(false);
  command.add_option("--output", arguments.output, "folder for the results (output.directory)")
      ->type_name(argument_kind::folder)
      ->check(require_name);
  command
      .add_option("--backend", arguments.backend, "where to run: auto, host or cuda (backend.name)")
      ->type_name(argument_kind::backend)
      ->check(require_name);
}

void add_matrix_options(CLI::App& command, MatrixArguments& arguments) {
  std::string generators = "Generators, of size N:\n";
  for (const std::string& name : generator_names()) {
    generators += fmt::format("  {:<20}{}\n", name, generator_description(name));
  }
  command.footer(generators + "\n" + statuses(matrix_status_meanings()));
  command
      .add_option(argument_kind::matrix, arguments.file, "a Matrix Market file, or gzip's of one")
      ->type_name("")
      ->check(require_name);
  command.add_option("--generate", arguments.generate, "in place of a file: one of those below")
      ->type_name(argument_kind::generator)
      ->check(require_name);
  command.add_option("--size", arguments.size, "of what is generated")
      ->type_name(argument_kind::count);
  command
      .add_option("--with", arguments.features,
                  fmt::format("of what is generated: {}; may be repeated",
                              fmt::join(feature_names(), ", ")))
      ->type_name(argument_kind::feature)
      ->allow_extra_args(false);
  command.add_option("--parts", arguments.parts, "cut it into this many parts of consecutive rows")
      ->type_name(argument_kind::count);
  const auto add_file = [&](const char* name, std::string& file, const char* text) {
    command.add_option(name, file, text)->type_name(argument_kind::file)->check(require_name);
  };
  add_file("--write", arguments.write, "write the matrix to this .mtx or .mtx.gz file");
  add_file("--picture", arguments.picture, "draw its pattern to this .png file");
  add_file("--json", arguments.json, "write what is printed to this JSON file, with all digits");
}

void add_mesh_options(CLI::App& command, MeshArguments& arguments, MeshTask task) {
  std::string generators = "Generators, of size N:\n";
  for (const std::string& name : mesh_generator_names()) {
    generators += fmt::format("  {:<8}{}\n", name, mesh_generator_description(name));
  }
  command.footer(generators + "\n" + statuses(mesh_status_meanings()));
  command.add_option(argument_kind::mesh, arguments.file, "a file of a mesh: OFF, OBJ or PLY")
      ->type_name("")
      ->check(require_name);
  const auto add = [&](const char* name, std::string& value, const char* kind, const char* text) {
    command.add_option(name, value, text)->type_name(kind)->check(require_name);
  };
  add("--generate", arguments.generate, argument_kind::surface,
      "in place of a file: one of those below (mesh.generate)");
  add("--size", arguments.size, argument_kind::count, "of what is generated (mesh.size)");
  if (task == MeshTask::smooth) {
    add("--part", arguments.part, argument_kind::part,
        "of a mesh of several parts: whole or largest (mesh.part)");
    add("--fidelity", arguments.fidelity, argument_kind::number,
        "how much it counts that vertices stay where they are (mesh.fidelity)");
    return;
  }
  add("--part", arguments.part, argument_kind::part,
      "of a mesh of several parts: whole, which is refused, or largest (mesh.part)");
  add("--pins", arguments.pins, argument_kind::pins,
      "the two vertices that are held, from 0 on (mesh.pins)");
}

/// True of a word that a message shows whole, and in a line.
bool is_shown(const std::string& word) {
  return shortened(word) == word && std::none_of(word.begin(), word.end(), [](char c) {
           return std::iscntrl(static_cast<unsigned char>(c)) != 0;
         });
}

}  // namespace

std::unique_ptr<CLI::App> make_command_line(Arguments& arguments) {
  auto app = std::make_unique<CLI::App>(
      "Finite elements in one precision or another, on CPU and GPU.", "ninefold");
  app->set_version_flag("--version", fmt::format("ninefold {} ({})", version, commit));
  app->require_subcommand(1);
  app->get_formatter()->label("SUBCOMMAND", "COMMAND");
  auto* solve = app->add_subcommand("solve", "solve what a config file describes, on every level");
  auto* study = app->add_subcommand("study", "run all combinations of its [study] table");
  auto* check = app->add_subcommand(
      "check", "check a config file; show all options and what a run needs or is refused for");
  auto* advise = app->add_subcommand(
      "advise", "say which number formats are precise enough, by solves on coarse levels");
  add_matrix_options(
      *app->add_subcommand("matrix", "say what a sparse matrix is, from a file or generated"),
      arguments.matrix);
  auto* parameterise = app->add_subcommand(
      "parameterise", "lay a mesh flat, and say whether single is precise enough for it");
  add_mesh_options(*parameterise, arguments.mesh, MeshTask::parameterise);
  auto* smooth = app->add_subcommand(
      "smooth", "smooth a mesh, and say whether single is precise enough for it");
  add_mesh_options(*smooth, arguments.mesh, MeshTask::smooth);
  app->add_subcommand("info", "show devices, number formats, problems and this build");
  app->add_subcommand("tune",
                      "measure this machine's GPUs once, so that later runs are faster there")
      ->add_flag("--show", arguments.only_show,
                 "measure and show alone, without keeping it for later runs");
  for (CLI::App* command : {solve, study, check, advise}) add_config(*command, arguments);
  for (CLI::App* command : {solve, study, check, advise, parameterise, smooth}) {
    add_run_options(*command, arguments);
  }
  for (CLI::App* command : {solve, study, parameterise, smooth}) {
    command
        ->add_option("--json", arguments.json,
                     "write the results to this JSON file as well; its folder is made")
        ->type_name(argument_kind::file)
        ->check(require_name);
    command->add_flag("--open", arguments.open, "open the page of the results at the end");
  }
  advise->add_flag("--measure", arguments.measure,
                   "solve the last level in all of them, and show the truth beside the forecast");
  check->footer(statuses(check_status_meanings()));
  auto* compare = app->add_subcommand(
      "compare", "put two results side by side on a page: digits, iterations, time");
  auto* gather =
      app->add_subcommand("gather", "put experiments and tables of measurements on one page");
  compare->footer(statuses(page_status_meanings()));
  gather->footer(statuses(page_status_meanings()));
  compare->add_option(argument_kind::folder, arguments.folders, "two folders of results, A and B")
      ->type_name("")
      ->expected(2)
      ->required();
  gather
      ->add_option(argument_kind::place, arguments.folders,
                   "the folders of experiments, or CSV files of measurements; TITLE=PLACE for a "
                   "title of its own")
      ->type_name("")
      ->expected(1, -1)
      ->required();
  gather->add_option("--title", arguments.title, "the title of the page")
      ->type_name(argument_kind::text);
  for (CLI::App* command : {compare, gather}) {
    command->add_option("--output", arguments.output, "folder for the page")
        ->type_name(argument_kind::folder)
        ->check(require_name);
    command->add_flag("--open", arguments.open, "open the page at the end");
  }
  app->add_subcommand("help",
                      "say what a key, a table of keys, a command or a value of few keys means")
      ->add_option(argument_kind::topic, arguments.topic,
                   "such as solver.tolerance, solver or solve; without one, all keys")
      ->type_name("")
      ->expected(1, 3)  // "step limit"
      ->allow_extra_args()
      ->join(' ');
  app->add_subcommand("schema", "print a JSON schema of config files, for editors");
  app->add_subcommand("completion", "print what lets a shell complete ninefold's command line")
      ->add_option(argument_kind::shell, arguments.shell, "bash or zsh")
      ->type_name("")
      ->required();
  app->add_subcommand("man", "print the man page, for man -l");
  app->get_formatter()->column_width(22);  // of all commands
  for (CLI::App* command : app->get_subcommands([](CLI::App*) { return true; })) {
    command->group("Commands");
  }
  // Last, or every command would have them.
  app->footer(first_steps() + statuses(status_meanings()));
  app->set_help_all_flag("--help-all", "Print the help of all commands and exit");
  return app;
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0
           || std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text;
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + text + "'";
}

std::string command_meant(const std::vector<std::string>& words,
                          const std::vector<std::string>& commands,
                          bool (*has_study)(const std::string& file)) {
  if (!std::all_of(words.begin(), words.end(), is_shown)) return "";
  const std::string& first = words.front();
  std::vector<std::string> meant;
  if (std::filesystem::path(first).extension() == ".toml") {
    meant = {has_study(first) ? "study" : "solve", quoted(first)};
  } else if (first.ends_with(".mtx") || first.ends_with(".mtx.gz")) {
    meant = {"matrix", quoted(first)};
  } else if (is_mesh_file(first)) {
    meant = {"parameterise", quoted(first)};
  } else if (const auto near = near_name(first, commands)) {
    meant = {*near};
  } else {
    return "";
  }
  for (std::size_t k = 1; k < words.size(); ++k) meant.push_back(quoted(words[k]));
  return fmt::format("did you mean: ninefold {}", fmt::join(meant, " "));
}

Outline outline_of(const CLI::App& app) {
  Outline outline{app.get_description(),
                  app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal),
                  {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    outline.commands.push_back(
        {command->get_name(), command->get_description(), command->help(app.get_name()), {}, {}});
    CommandOutline& added = outline.commands.back();
    for (const CLI::Option* option : command->get_options()) {
      if (option == command->get_help_ptr() || option == command->get_help_all_ptr()) continue;
      if (option->get_positional()) {
        added.argument = ArgumentOutline{option->get_name(), option->get_required()};
      } else {
        added.options.push_back({"--" + option->get_lnames().front(), option->get_type_name(),
                                 option->get_description()});
      }
    }
  }
  return outline;
}

}  // namespace ninefold
