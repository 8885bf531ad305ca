// The config-driven program: solve, study, check and info, and what helps a first contact.
//
// Status.  As status_meanings() of experiments/program/outline.hpp says, and 128 + signal for any
// that interrupts.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/shortened.hpp"

#include "gpu/backend/mpi_ranks.hpp"

#include "output/document/html.hpp"
#include "output/tables/files.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/configuration.hpp"
#include "experiments/config/mesh_keys.hpp"
#include "experiments/config/study.hpp"
#include "experiments/program/advice.hpp"
#include "experiments/program/check_command.hpp"
#include "experiments/program/command_line.hpp"
#include "experiments/program/compare.hpp"
#include "experiments/program/completion.hpp"
#include "experiments/program/follow_matrices.hpp"
#include "experiments/program/gathered.hpp"
#include "experiments/program/help.hpp"
#include "experiments/program/information.hpp"
#include "experiments/program/input.hpp"
#include "experiments/program/interrupt.hpp"
#include "experiments/program/least_squares_run.hpp"
#include "experiments/program/man_page.hpp"
#include "experiments/program/matrix_command.hpp"
#include "experiments/program/matrix_run.hpp"
#include "experiments/program/open_page.hpp"
#include "experiments/program/ranked_run.hpp"
#include "experiments/program/run.hpp"
#include "experiments/program/schema.hpp"
#include "experiments/program/screen.hpp"
#include "experiments/program/summary.hpp"
#include "experiments/program/tuning.hpp"
#include "experiments/support/run_program.hpp"

#include "ninefold/version.hpp"

namespace {

using namespace ninefold;

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
                    movement_summary(results) + estimate_summary(plans, results),
                    remarks_summary(results), verdict(results),
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
    if (command == "tune") return print(tune_command(arguments.only_show)), true;
    use_kept_tuning();  // of what those two say that it cannot be read
    if (command == "help") return print(help_on(arguments.topic, outline)), true;
    if (command == "schema") return print(config_schema()), true;
    if (command == "completion") return print(completion(arguments.shell, outline)), true;
    if (command == "man") return print(man_page(outline)), true;
    if (command == "compare") return compare(arguments), true;
    if (command == "gather") return gather(arguments), true;
    const bool is_mesh = command == "parameterise" || command == "smooth";
    const Document document =
        is_mesh
            ? mesh_input(arguments, command == "smooth" ? MeshTask::smooth : MeshTask::parameterise)
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
      std::vector<std::string> without = base.left_aside;
      if (has_study) {
        print("note: [study] is left aside: this is for the keys outside of it\n");
        without.emplace_back("study");
      }
      for (const Plan& plan : plans) print(advice(plan, arguments.measure, without));
      return true;
    }
    const bool study = command == "study" || (is_mesh && document.study_origin.has_value());
    const bool open_formats = !study && leaves_formats_open(document);
    const auto plans = study          ? plan_study(document)
                       : open_formats ? plan_formats(document)
                                      : plan_run(document);
    const bool is_fit = plans.front().configuration.least_squares.is_used();
    if (is_fit || has_matrix(plans)) {
      return run_on_all_ranks(
          plans,
          [&](const std::vector<Plan>& own) {
            return is_fit ? run_fits(own, arguments)
                          : run_with_matrices(own, arguments, open_formats);
          },
          follow_matrices, arguments.json);
    }
    // One format that does not suffice is what a study may be about.
    const Refusals refusals = study ? Refusals::are_rows : Refusals::end;
    return run_on_all_ranks(
        plans,
        [&](const std::vector<Plan>& own) {
          print(idle_notes(own));
          return run(own, arguments, refusals, screen.emplace());
        },
        [&](const std::vector<Plan>& own) { follow_plans(own, refusals); }, arguments.json);
  };
  const auto kept = [&] { return screen ? screen->kept() : std::string(); };
  if (!is_started_by_mpi()) return run_program(app, argc, argv, run_command, kept);
  const auto is_shared = [&] {
    const std::string command = app.get_subcommands().front()->get_name();
    return command == "solve" || command == "study" || command == "check"
           || command == "parameterise" || command == "smooth";
  };
  return run_as_rank(app, argc, argv, is_shared, run_command, kept);
}
