// The config-driven program: solve, study, check and info.
//
// Status.  0: all levels converged; 1: a level did not converge (its row says how); 2: bad input,
// nothing was written; 3: something failed on the way; 128 + signal: interrupted.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "experiments/config/bad_input.hpp"
#include "experiments/config/configuration.hpp"
#include "experiments/config/study.hpp"
#include "experiments/program/information.hpp"
#include "experiments/program/interrupt.hpp"
#include "experiments/program/live_table.hpp"
#include "experiments/program/range_check.hpp"
#include "experiments/program/run.hpp"
#include "experiments/program/summary.hpp"
#include "experiments/support/run_program.hpp"

#include "ninefold/version.hpp"

namespace {

using namespace ninefold;

/// The command line.
struct Arguments {
  std::string file;
  std::vector<std::string> settings;
  std::string output, backend, json;
};

std::vector<Override> overrides_of(const Arguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& setting : arguments.settings) {
    overrides.push_back({setting, "--set " + setting});
  }
  const auto add = [&](const std::string& key, const std::string& option,
                       const std::string& value) {
    if (!value.empty()) {
      overrides.push_back({key + "=" + value, fmt::format("--{} {}", option, value), true});
    }
  };
  add("backend.name", "backend", arguments.backend);
  add("output.directory", "output", arguments.output);
  return overrides;
}

/// Prints at once, also into a pipe.
void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

/// Shows the runs as they go.
class Screen {
 public:
  RunEvents events() {
    RunEvents events;
    events.begin = [this](const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
      print(run_summary(plans, runs));
      table_.emplace(plans, runs);
    };
    events.run_begins = [this](const Plan&, const Problem& problem) { begin_run(problem); };
    events.level_begins = [this](const Plan& plan, int level) {
      const std::string run = plan.varied.empty() ? "" : plan.name + ", ";
      if (on_terminal_) print(fmt::format("{}level {} ...", run, level));
    };
    events.level_ends = [this](const Plan& plan, const RunResult& run) {
      clear_progress();
      print(table_->row(run));
      ++levels_;
      kept_ = fmt::format(
          "the {} in {}",
          levels_ == 1 ? "finished level is" : fmt::format("{} finished levels are", levels_),
          plan.configuration.output.directory);
      set_interrupt_message("\ninterrupted; " + kept_ + "\n");
    };
    events.note = [this](const std::string& note) {
      clear_progress();
      print("note: " + note + "\n");
    };
    return events;
  }

  /// What there is if a run ends here.
  std::string kept() const { return kept_; }

  /// Removes the line that says what is being worked on.
  void clear_progress() const {
    if (on_terminal_) print("\r\033[K");
  }

 private:
  void begin_run(const Problem& problem) {
    for (const std::string& remark : problem.remarks) {
      if (told_.insert(remark).second) print("note: " + remark + "\n");
    }
    if (headed_) return;
    print("\n" + table_->heading());
    headed_ = true;
  }

  std::optional<LiveTable> table_;
  std::set<std::string> told_;
  int levels_ = 0;
  std::string kept_ = "no level was finished";
  bool headed_ = false, on_terminal_ = ::isatty(STDOUT_FILENO) != 0;
};

std::string where_files_are(const Plan& plan, const Arguments& arguments) {
  const OutputOptions& output = plan.configuration.output;
  std::string text = fmt::format("files in {}\n", output.directory);
  text += "  results.csv, .json, .md, .tex   the table\n";
  text += "  history-*.csv                   residuals of every iteration\n";
  if (output.vtk) text += "  *.pvd, *.vtr                    solutions; open a .pvd in ParaView\n";
  if (output.plots) text += "  *.png                           pictures\n";
  if (!arguments.json.empty()) text += fmt::format("and {}\n", arguments.json);
  return text;
}

bool run(const std::vector<Plan>& plans, const Arguments& arguments, Screen& screen) {
  set_interrupt_message("\ninterrupted before the first level was finished\n");
  handle_interrupts();
  std::optional<std::filesystem::path> json;
  if (!arguments.json.empty()) json = arguments.json;
  const Results results = run_plans(plans, json, screen.events());
  screen.clear_progress();
  print(fmt::format("\n{}{}{}{}\n{}", smoothers_summary(plans, results), movement_summary(results),
                    remarks_summary(results), verdict(results),
                    where_files_are(plans.front(), arguments)));
  return all_converged(results);
}

/// Throws ConfigurationError if the range of a format will refuse a level: with the first one of
/// each run.
void require_ranges(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
  std::string text;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const auto refusal = find_range_refusal(runs[k]);
    if (!refusal) continue;
    const std::string run = plans.size() > 1 ? plans[k].name + ", " : "";
    text += fmt::format("{}{}level {}: {}", text.empty() ? "" : "\n  ", run, refusal->level,
                        refusal->message);
  }
  if (!text.empty()) throw ConfigurationError(text);
}

void check(const Document& document) {
  const auto plans = document.study_origin ? plan_study(document) : plan_run(document);
  std::vector<PreparedRun> runs;
  for (const Plan& plan : plans) runs.push_back(prepare_run(plan));
  print(check_report(plans, runs));
  for (std::size_t k = 0; k < plans.size(); ++k) require_memory(plans[k], runs[k]);
  require_ranges(plans, runs);
  print(fmt::format("\n{} is in order: {} with ninefold {}\n", document.file.string(),
                    plans.size() == 1 ? "run it" : fmt::format("run its {} runs", plans.size()),
                    document.study_origin ? "study" : "solve"));
}

void add_file_options(CLI::App& command, Arguments& arguments) {
  command.add_option("FILE", arguments.file, "the config file (TOML)")->required();
  command
      .add_option("--set", arguments.settings,
                  "override a key of the file, as section.key=value; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--output", arguments.output, "folder for the results (output.directory)");
  command.add_option("--backend", arguments.backend,
                     "where to run: auto, host or cuda (backend.name)");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Finite elements in one precision or another, on CPU and GPU.", "ninefold"};
  app.set_version_flag("--version", fmt::format("ninefold {} ({})", version, commit));
  app.require_subcommand(1);
  app.footer("Status: 0 all levels converged, 1 a level did not converge, 2 bad input, 3 failure.");
  Arguments arguments;
  auto* solve_command = app.add_subcommand("solve", "solve what a config file describes");
  auto* study_command = app.add_subcommand("study", "run all combinations of its [study] table");
  auto* check_command = app.add_subcommand(
      "check", "check a config file; show all options and what a run will need or be refused for");
  auto* info_command =
      app.add_subcommand("info", "show devices, number formats, problems and this build");
  for (CLI::App* command : {solve_command, study_command, check_command}) {
    add_file_options(*command, arguments);
  }
  for (CLI::App* command : {solve_command, study_command}) {
    command->add_option("--json", arguments.json, "write the results to this JSON file as well");
  }
  const std::vector<std::string> commands{"solve", "study", "check", "info"};
  const std::string first = argc > 1 ? argv[1] : "-";
  if (!first.starts_with("-") && std::count(commands.begin(), commands.end(), first) == 0) {
    const std::string advice = suggestion(first, commands);
    complain(
        "ninefold",
        fmt::format("there is no command \"{}\"; the commands are solve, study, check, info{}{}",
                    first, advice.empty() ? "" : "\n  ", advice));
    return exit_status::bad_input;
  }
  std::optional<Screen> screen;
  const auto run_command = [&] {
    if (info_command->parsed()) {
      print(program_information());
      return true;
    }
    const Document document = read_document(arguments.file, overrides_of(arguments));
    if (check_command->parsed()) {
      check(document);
      return true;
    }
    const auto plans = study_command->parsed() ? plan_study(document) : plan_run(document);
    return run(plans, arguments, screen.emplace());
  };
  return run_program(app, argc, argv, run_command,
                     [&] { return screen ? screen->kept() : std::string(); });
}
