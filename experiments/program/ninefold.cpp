// The config-driven program: solve, study, check and info, and what helps a first contact.
//
// Status.  As status_meanings() of experiments/program/outline.hpp says, and 128 + signal for any
// that interrupts.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "precision/shortened.hpp"

#include "grids/mesh/mesh_file.hpp"

#include "gpu/backend/mpi_ranks.hpp"

#include "solvers/judgement/thin_cells.hpp"

#include "output/document/html.hpp"
#include "output/tables/files.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/configuration.hpp"
#include "experiments/config/idle_settings.hpp"
#include "experiments/config/mesh_keys.hpp"
#include "experiments/config/study.hpp"
#include "experiments/program/advice.hpp"
#include "experiments/program/command_line.hpp"
#include "experiments/program/compare.hpp"
#include "experiments/program/completion.hpp"
#include "experiments/program/follow_matrices.hpp"
#include "experiments/program/gathered.hpp"
#include "experiments/program/help.hpp"
#include "experiments/program/information.hpp"
#include "experiments/program/interrupt.hpp"
#include "experiments/program/least_squares_run.hpp"
#include "experiments/program/live_table.hpp"
#include "experiments/program/man_page.hpp"
#include "experiments/program/matrix_command.hpp"
#include "experiments/program/matrix_run.hpp"
#include "experiments/program/open_page.hpp"
#include "experiments/program/range_check.hpp"
#include "experiments/program/ranked_run.hpp"
#include "experiments/program/run.hpp"
#include "experiments/program/schema.hpp"
#include "experiments/program/summary.hpp"
#include "experiments/support/run_program.hpp"

#include "ninefold/version.hpp"

namespace {

using namespace ninefold;

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

/// False under a launcher of MPI, which passes on what a terminal of its own shows, wherever that
/// goes.
bool is_on_terminal() {
  return ::isatty(STDOUT_FILENO) != 0 && !is_started_by_mpi();
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
  bool headed_ = false, on_terminal_ = is_on_terminal();
};

std::string page_of(const Plan& plan) {
  return (std::filesystem::path(plan.configuration.output.directory) / "report.html").string();
}

std::string where_files_are(const Plan& plan, const Arguments& arguments) {
  const OutputOptions& output = plan.configuration.output;
  std::string text = fmt::format("files in {}\n", output.directory);
  text += "  results.csv, .json, .md, .tex   the table\n";
  text += "  history-*.csv                   residuals of every iteration\n";
  if (output.vtk) text += "  *.pvd, *.vtr                    solutions; open a .pvd in ParaView\n";
  if (!output.points.empty()) text += "  *-points.csv                    values at places\n";
  if (!output.lines.empty()) text += "  *-lines.csv                     values along lines\n";
  if (output.matrix) text += "  *.mtx                           matrices and right-hand sides\n";
  if (output.plots) text += "  *.png                           pictures\n";
  if (!arguments.json.empty()) text += fmt::format("and {}\n", arguments.json);
  return text + fmt::format("all on one page: {}\n", page_of(plan));
}

/// "run-1, " where there are several.
std::string run_prefix(const std::vector<Plan>& plans, const std::string& name) {
  return plans.size() > 1 ? name + ", " : "";
}

bool run(const std::vector<Plan>& plans, const Arguments& arguments, Refusals refusals,
         Screen& screen) {
  set_interrupt_message("\ninterrupted before the first level was finished\n");
  handle_interrupts();
  std::optional<std::filesystem::path> json;
  if (!arguments.json.empty()) json = arguments.json;
  const Results results = run_plans(plans, json, screen.events(), refusals);
  screen.clear_progress();
  print(fmt::format("\n{}{}{}{}{}\n{}", smoothers_summary(plans, results),
                    study_summary(results) + error_summary(plans, results),
                    movement_summary(results), remarks_summary(results), verdict(results),
                    where_files_are(plans.front(), arguments)));
  if (arguments.open) {
    if (const std::string why = open_page(page_of(plans.front())); !why.empty()) {
      print("note: " + why + "\n");
    }
  }
  if (!any_solved(results)) {
    const RunResult& run = results.runs.front();
    throw ConfigurationError(fmt::format("no level could be solved: {}level {}: {}",
                                         run_prefix(plans, run.name), run.levels.front().level,
                                         run.levels.front().remark));
  }
  return all_converged(results);
}

/// Those of a mesh, in a list.
std::string mesh_files(const MeshSettings& mesh) {
  if (!mesh.is_used()) return "";
  const std::string ending = std::filesystem::path(mesh.file).extension().string();
  const bool is_kept = mesh.is_smoothed() && (ending == ".ply" || ending == ".off");
  return fmt::format(", *{}, *.vtp, *.png", is_kept ? ending : ".obj");
}

/// Shows runs with matrices and opens their page if that is wanted.
void show_runs(const Article& document, const std::string& files, const Plan& plan,
               const Arguments& arguments) {
  print("\n" + to_text(document) + "\n");
  print(fmt::format("files in {}: results.csv, .json, .md, history-*.csv{}\nall on one page: {}\n",
                    plan.configuration.output.directory, files, page_of(plan)));
  if (!arguments.open) return;
  if (const std::string why = open_page(page_of(plan)); !why.empty()) print("note: " + why + "\n");
}

/// Tells how a run of several has ended.
void tell_end(const std::vector<Plan>& plans, const std::string& name, const Report& report,
              const std::string& refusal) {
  if (plans.size() == 1) return;
  print(fmt::format("{}: {}{}\n", name, ending_of(report, refusal),
                    refusal.empty() ? fmt::format(", {:.3g} s", report.solve_seconds) : ""));
}

/// Fits, and shows them; true if all have converged.
bool run_fits(const std::vector<Plan>& plans, const Arguments& arguments) {
  handle_interrupts();
  LeastSquaresEvents events;
  events.begin = [](const std::string& heading) { print(heading + "\n"); };
  events.run_ends = [&](const LeastSquaresRun& run) {
    tell_end(plans, run.name, run.solved.report, run.refusal);
  };
  const std::vector<LeastSquaresRun> runs = run_least_squares(plans, arguments.json, events);
  std::string files = plans.front().configuration.matrix.write_solution ? ", *-solution.mtx" : "";
  if (!runs.front().image.png.empty()) files += ", *.png";
  if (has_l_curve(plans)) files += ", l-curve.csv, .svg";
  const Article document = least_squares_document(plans, runs);
  print("\n" + document.summary.front() + "\n");
  show_runs(document, files, plans.front(), arguments);
  return std::all_of(runs.begin(), runs.end(), [](const LeastSquaresRun& run) {
    return run.refusal.empty() && run.solved.report.outcome == Outcome::converged;
  });
}

/// Solves systems with a matrix, or with that of a mesh, and shows them; true if they are done.
bool run_with_matrices(const std::vector<Plan>& plans, const Arguments& arguments,
                       bool open_formats) {
  handle_interrupts();
  MatrixRunEvents events;
  events.begin = [](const std::string& heading) { print(heading + "\n"); };
  events.run_ends = [&](const MatrixRun& run) {
    tell_end(plans, run.plan->name, run.solved.report, run.refusal);
  };
  const std::vector<MatrixRun> runs = run_matrices(plans, arguments.json, events);
  const Article document = matrix_run_document(plans, runs);
  const bool is_mesh = plans.front().configuration.mesh.is_used();
  if (is_mesh) print("\n" + document.summary.front() + "\n");
  show_runs(document, mesh_files(plans.front().configuration.mesh), plans.front(), arguments);
  return is_done(runs, open_formats);
}

/// What parameterise and smooth are told, as settings.
Document mesh_document(const MeshArguments& mesh, std::vector<Override> overrides,
                       MeshTask task = MeshTask::parameterise) {
  if (mesh.file.empty() == mesh.generate.empty()) {
    throw ConfigurationError(
        mesh.file.empty() ? fmt::format(
            "a mesh is needed: ninefold {} FILE.off, or --generate NAME --size N", to_string(task))
                          : "a file or --generate: there is one mesh");
  }
  const auto add = [&](const std::string& key, const std::string& value, const std::string& option,
                       bool is_text) {
    if (!value.empty()) overrides.push_back({key + "=" + value, option, is_text});
  };
  add("mesh.file", mesh.file, mesh.file, true);
  add("mesh.generate", mesh.generate, "--generate " + mesh.generate, true);
  add("mesh.size", mesh.size, "--size " + mesh.size, false);
  add("mesh.part", mesh.part, "--part " + mesh.part, true);
  if (!mesh.pins.empty()) {
    add("mesh.pins", mesh.pins == "auto" ? mesh.pins : "[" + mesh.pins + "]", "--pins " + mesh.pins,
        false);
  }
  if (task == MeshTask::smooth) add("mesh.task", "smooth", "smooth", true);
  add("mesh.fidelity", mesh.fidelity, "--fidelity " + mesh.fidelity, false);
  const std::string name = mesh.file.empty() ? mesh.generate : mesh.file;
  return parse_document("", name, overrides);
}

/// A config file or, in its place, a matrix or a mesh.
Document read_input(const Arguments& arguments) {
  const std::string& file = arguments.file;
  const auto overrides = overrides_of(arguments);
  if (is_mesh_file(file)) return mesh_document({.file = file}, overrides);
  if (!file.ends_with(".mtx") && !file.ends_with(".mtx.gz")) return read_document(file, overrides);
  std::filesystem::path name = file;
  if (name.extension() == ".gz") name.replace_extension();
  return parse_document(fmt::format("[matrix]\nfile = {}\n", to_toml(file)), name, overrides);
}

/// What the range of a format will refuse, by the first level of each run: a line for each, where
/// it is a study, which goes on.  Throws ConfigurationError if that leaves nothing to solve, or
/// ends it.
std::string range_notes(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs,
                        bool study) {
  std::string notes, all;
  std::size_t at_first_level = 0;
  bool ends = false;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const auto refusal = find_range_refusal(runs[k]);
    if (!refusal) continue;
    const std::string text = fmt::format("{}level {}: {}", run_prefix(plans, plans[k].name),
                                         refusal->level, refusal->message);
    all += (all.empty() ? "" : "\n  ") + text;
    notes += fmt::format("\nnote: will be refused: {}", text);
    if (refusal->level == runs[k].levels.front().level()) ++at_first_level;
    if (!study || (refusal->of_data && !varies_data(plans[k]))) ends = true;
  }
  if (ends || at_first_level == plans.size()) throw ConfigurationError(all);
  return notes.empty() ? notes : notes + "\n";
}

/// "level 7" of the last one, else "levels from 5 on".
std::string levels_from(int first, int last) {
  return first == last ? fmt::format("level {}", first) : fmt::format("levels from {} on", first);
}

/// A line for the first level of each run on which rounding may leave more than the tolerance.
std::string stagnation_notes(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
  std::string text;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    for (const PreparedSolve& solve : runs[k].levels) {
      if (solve.options.to_discretisation) break;  // no residual is asked for
      const auto left = find_stagnation(solve);
      if (!left) continue;
      text += fmt::format(
          "\nnote: {}{} may stagnate: rounding to solver.precision = {} may leave about "
          "{:.1e} "
          "of the first residual, above solver.tolerance = {:.1e}",
          run_prefix(plans, plans[k].name),
          levels_from(solve.level(), runs[k].levels.back().level()),
          to_toml(to_string(solve.options.precision)), *left, solve.options.tolerance);
      break;
    }
  }
  return text.empty() ? text : text + "\n";
}

/// A line for the first level of each run that a format may not hold.
std::string hold_notes(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
  std::string text;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    for (const PreparedSolve& solve : runs[k].levels) {
      const std::string remark = lost_hold_remark(solve);
      if (remark.empty()) continue;
      text += fmt::format("\nnote: {}level {} may fail: {}", run_prefix(plans, plans[k].name),
                          solve.level(), remark);
      break;
    }
  }
  return text.empty() ? text : text + "\n";
}

std::string idle_notes(const std::vector<Plan>& plans) {
  std::string text;
  for (const std::string& line : idle_settings(plans)) text += "note: " + line + "\n";
  return text;
}

/// What a solve would remark on its data, each once: runs mostly share them.
std::string data_notes(const std::vector<PreparedRun>& runs) {
  std::vector<std::string> notes;
  for (const PreparedRun& run : runs) {
    for (const std::string& remark : run.levels.front().problem.remarks) {
      if (std::find(notes.begin(), notes.end(), remark) == notes.end()) notes.push_back(remark);
    }
  }
  std::string text;
  for (const std::string& note : notes) text += "\nnote: " + note + "\n";
  return text;
}

/// Of a mesh without a word on formats: in single and in double, named after them.
std::vector<Plan> plan_formats(const Document& document) {
  (void)plan_run(document);  // what is wrong with it is wrong in all formats
  std::vector<Plan> plans = plan_study(with_open_formats(document));
  for (Plan& plan : plans) plan.name = plan.varied.front().second;
  return plans;
}

/// Throws ConfigurationError if results, and the JSON document if one is asked for, cannot be
/// written; leaves no trace.
void require_place(const std::vector<Plan>& plans, const std::string& json = "") {
  try {
    require_writable_directory(plans.front().configuration.output.directory);
    if (json.empty()) return;
    const std::filesystem::path parent = std::filesystem::absolute(json).parent_path();
    require_writable_directory(parent);
    if (std::filesystem::exists(parent)) (void)PendingFile(json);
  } catch (const std::runtime_error& error) {
    throw ConfigurationError(fmt::format("{}\n  choose another place with --output{}", error.what(),
                                         json.empty() ? "" : " or --json"));
  }
}

void check(const Document& document) {
  const auto plans = document.study_origin           ? plan_study(document)
                     : leaves_formats_open(document) ? plan_formats(document)
                                                     : plan_run(document);
  if (speaks()) require_place(plans);
  const auto say_in_order = [&] {
    if (!speaks()) return;
    print(fmt::format("\n{} is in order: {} with ninefold {}\n", document.file.string(),
                      plans.size() == 1 ? "run it" : fmt::format("run its {} runs", plans.size()),
                      document.study_origin ? "study" : "solve"));
  };
  if (plans.front().configuration.has_matrix()) {
    run_on_all_ranks(
        plans,
        [&](const std::vector<Plan>&) {
          print(to_toml(all_options(plans)));
          return true;
        },
        [](const std::vector<Plan>&) {});
    say_in_order();
    return;
  }
  // What ranks do together, in this order.
  const auto prepared = [](const std::vector<Plan>& own) {
    std::vector<PreparedRun> runs;
    for (const Plan& plan : own) runs.push_back(prepare_run(plan));
    return runs;
  };
  const auto require = [](const std::vector<Plan>& own, const std::vector<PreparedRun>& runs) {
    for (std::size_t k = 0; k < own.size(); ++k) require_memory(own[k], runs[k]);
  };
  run_on_all_ranks(
      plans,
      [&](const std::vector<Plan>& own) {
        const std::vector<PreparedRun> runs = prepared(own);
        print(check_report(own, runs, memory_of_levels(own, runs)));
        if (const std::string notes = idle_notes(own); !notes.empty()) print("\n" + notes);
        require(own, runs);
        print(data_notes(runs));
        print(range_notes(own, runs, document.study_origin.has_value()));
        print(hold_notes(own, runs));
        print(stagnation_notes(own, runs));
        return true;
      },
      [&](const std::vector<Plan>& own) {
        const std::vector<PreparedRun> runs = prepared(own);
        (void)memory_of_levels(own, runs);
        require(own, runs);
      });
  say_in_order();
}

/// Nothing is said of a file that cannot be read: the command that is advised will say it.
bool has_study(const std::string& file) {
  try {
    return read_document(file).study_origin.has_value();
  } catch (const ConfigurationError&) {
    return false;
  }
}

/// Writes a page, names it and opens it if that is wanted.
void leave_page(const Article& document, const std::string& folder, bool open) {
  const std::filesystem::path page = std::filesystem::path(folder) / "report.html";
  ensure_writable_directory(folder);
  write_file_atomically(page, to_html(document));
  std::string text = to_text(document) + "\n";
  for (const std::string& line : document.summary) text += line + "\n";
  print(text + fmt::format("all on one page: {}\n", page.string()));
  if (!open) return;
  if (const std::string why = open_page(page); !why.empty()) print("note: " + why + "\n");
}

void compare(const Arguments& arguments) {
  const std::string& a = arguments.folders[0];
  const std::string& b = arguments.folders[1];
  leave_page(compared_results(read_results(a), read_results(b), a, b),
             arguments.output.empty() ? "results/compare" : arguments.output, arguments.open);
}

void gather(const Arguments& arguments) {
  const std::string output = arguments.output.empty() ? "results" : arguments.output;
  leave_page(gathered(arguments.folders, arguments.title, output), output, arguments.open);
}

/// For a shell that is known; throws CLI::ValidationError for any other.
std::string completion(const std::string& shell, const Outline& outline) {
  if (shell == "bash") return bash_completion(outline);
  if (shell == "zsh") return zsh_completion(outline);
  throw CLI::ValidationError(
      "SHELL", fmt::format("nothing is known of {}; the shells are {}", shortened(shell),
                           fmt::join(known_shells(), " and ")));
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  const auto command_line = make_command_line(arguments);
  CLI::App& app = *command_line;
  const Outline outline = outline_of(app);
  const std::vector<std::string> commands = names_of_commands(outline);
  const std::string first = argc > 1 ? argv[1] : "-";
  if (!first.starts_with("-") && std::count(commands.begin(), commands.end(), first) == 0) {
    const std::string advice = command_meant({argv + 1, argv + argc}, commands, has_study);
    const std::string complaint =
        fmt::format("there is no command \"{}\"; the commands are {}{}{}", shortened(first),
                    fmt::join(commands, ", "), advice.empty() ? "" : "\n  ", advice);
    if (is_started_by_mpi()) return refuse_as_rank(complaint);
    complain("ninefold", complaint);
    return exit_status::bad_input;
  }
  std::optional<Screen> screen;
  const auto run_command = [&] {
    const std::string command = app.get_subcommands().front()->get_name();
    if (command == "matrix") return print(matrix_command(arguments.matrix)), true;
    if (command == "info") return print(program_information()), true;
    if (command == "help") return print(help_on(arguments.topic, outline)), true;
    if (command == "schema") return print(config_schema()), true;
    if (command == "completion") return print(completion(arguments.shell, outline)), true;
    if (command == "man") return print(man_page(outline)), true;
    if (command == "compare") return compare(arguments), true;
    if (command == "gather") return gather(arguments), true;
    const bool is_mesh = command == "parameterise" || command == "smooth";
    const Document document =
        is_mesh ? mesh_document(arguments.mesh, overrides_of(arguments),
                                command == "smooth" ? MeshTask::smooth : MeshTask::parameterise)
                : read_input(arguments);
    const auto has_matrix = [](const std::vector<Plan>& plans) {
      return plans.front().configuration.has_matrix();
    };
    if (command == "check") {
      check(document);
      return true;
    }
    if (command == "advise") {
      Document base = document;
      base.study.clear();
      base.study_origin.reset();
      const bool has_study =
          document.study_origin && !document.study_origin->place.starts_with("--");
      const auto plans = plan_run(base);
      if (has_matrix(plans)) {
        throw ConfigurationError(
            "advise goes by levels of a grid; of a matrix, a study of "
            "solver.precision shows what suffices");
      }
      for (const Plan& plan : plans) print(advice(plan, arguments.measure, has_study));
      return true;
    }
    const bool study = command == "study" || (is_mesh && document.study_origin.has_value());
    const bool open_formats = !study && leaves_formats_open(document);
    const auto plans = study          ? plan_study(document)
                       : open_formats ? plan_formats(document)
                                      : plan_run(document);
    // Others could not be told any more when they solve.
    if (is_started_by_mpi() && speaks()) require_place(plans, arguments.json);
    const bool is_fit = plans.front().configuration.least_squares.is_used();
    if (is_fit || has_matrix(plans)) {
      return run_on_all_ranks(
          plans,
          [&](const std::vector<Plan>& own) {
            return is_fit ? run_fits(own, arguments)
                          : run_with_matrices(own, arguments, open_formats);
          },
          follow_matrices);
    }
    // One format that does not suffice is what a study may be about.
    const Refusals refusals = study ? Refusals::are_rows : Refusals::end;
    return run_on_all_ranks(
        plans,
        [&](const std::vector<Plan>& own) {
          print(idle_notes(own));
          return run(own, arguments, refusals, screen.emplace());
        },
        [&](const std::vector<Plan>& own) { follow_plans(own, refusals); });
  };
  const auto kept = [&] { return screen ? screen->kept() : std::string(); };
  if (!is_started_by_mpi()) return run_program(app, argc, argv, run_command, kept);
  return run_as_rank(app, argc, argv, run_command, kept);
}
