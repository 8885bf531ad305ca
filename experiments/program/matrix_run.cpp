#include "experiments/program/matrix_run.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fem/sparse/matrix_facts.hpp"
#include "fem/sparse/matrix_market.hpp"
#include "fem/sparse/symmetry.hpp"

#include "output/document/html.hpp"
#include "output/tables/files.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/program/interrupt.hpp"
#include "experiments/program/plain_rate.hpp"
#include "experiments/program/provenance.hpp"

namespace ninefold {
namespace {

namespace fs = std::filesystem;

/// A system with what is said of where it is from.
struct Stated {
  std::string name{};
  SparseProblem problem{};
  std::optional<MeshProblem> mesh{};  ///< without its matrix, which is the problem's
  std::vector<std::string> remarks{};
};

/// Runs a task; what the library refuses gets the place of a setting.
template <class Task>
auto located(const Plan& plan, std::string_view key, const Task& task) {
  try {
    return task();
  } catch (const BadValue& error) {
    refuse_value(error, plan.settings, plan.file);
  } catch (const std::invalid_argument& error) {
    const Setting* setting = find_setting(plan.settings, key);
    const bool is_matrix = plan.file.extension() == ".mtx";  // stated by its name alone
    if (setting == nullptr || is_matrix || setting->origin.place == plan.configuration.mesh.file) {
      throw ConfigurationError(error.what());
    }
    throw ConfigurationError(fmt::format("{}\n  {}", error.what(), setting->origin.place));
  }
}

/// Why the matrix cannot be that of a symmetric positive definite system, as far as it is cheap to
/// see.
std::string refusal_of(const SparseMatrix& A) {
  if (!A.pattern.is_square()) {
    return fmt::format("it is {} x {}: systems need a square one", A.pattern.n_rows,
                       A.pattern.n_columns);
  }
  const SymmetryFacts symmetry = symmetry_facts(A);
  if (!symmetry.values()) {
    return "it is not symmetric, which conjugate gradients need; ninefold matrix says where";
  }
  return "";
}

BackendKind backend_of(const Plan& plan) {
  return located(plan, "backend.name", [&] {
    return choose_backend(plan.configuration.backend, plan.configuration.solver.precision);
  });
}

/// The key that states the matrix, or the mesh.
std::string_view source_key(const Configuration& c) {
  if (c.mesh.is_used()) return c.mesh.file.empty() ? "mesh.generate" : "mesh.file";
  return "matrix.file";
}

/// A solution in double-double to measure against.  One that nobody has asked for and that is not
/// found is a remark.
void add_reference(const Plan& plan, Stated& stated) {
  const BackendKind where = backend_of(plan);
  const auto find = [&] {
    return reference_solution(stated.problem, plan.configuration.solver.max_iterations, where);
  };
  if (find_setting(plan.settings, "matrix.reference") != nullptr) {
    stated.problem.solution = located(plan, "matrix.reference", find);
    return;
  }
  try {
    stated.problem.solution = find();
  } catch (const std::invalid_argument& error) {
    stated.remarks.emplace_back(error.what());
  }
}

Stated stated_mesh(const Plan& plan) {
  const Configuration& c = plan.configuration;
  Stated stated;
  stated.mesh = located(plan, source_key(c), [&] { return mesh_problem(c.mesh); });
  stated.name = stated.mesh->name;
  stated.remarks = stated.mesh->remarks;
  stated.problem.A = std::move(stated.mesh->system.A);
  stated.problem.b = std::move(stated.mesh->system.b);
  if (c.matrix.reference == ReferenceSolution::double_double) add_reference(plan, stated);
  return stated;
}

Stated stated_system(const Plan& plan) {
  if (plan.configuration.mesh.is_used()) return stated_mesh(plan);
  const MatrixSettings& settings = plan.configuration.matrix;
  Stated stated;
  SparseMatrix A;
  if (!settings.file.empty()) {
    MatrixFile file =
        located(plan, "matrix.file", [&] { return read_matrix_market(settings.file); });
    stated.name = settings.file;
    stated.remarks = std::move(file.remarks);
    A = std::move(file.matrix);
  } else {
    stated.name = fmt::format("{} of size {}", settings.generator.name, settings.generator.size);
    A = located(plan, "matrix.generate", [&] { return generate_sparse(settings.generator); });
  }
  if (const std::string why = refusal_of(A); !why.empty()) {
    throw ConfigurationError(fmt::format("{} cannot be solved with: {}", stated.name, why));
  }
  const std::string& right = settings.right_hand_side;
  if (right == "ones") {
    stated.problem = with_ones(std::move(A));
  } else if (right == "random") {
    stated.problem = with_random_solution(std::move(A), settings.generator.seed);
  } else {
    stated.problem.b.high = located(plan, "matrix.right_hand_side",
                                    [&] { return read_vector(right, A.pattern.n_rows); });
    stated.problem.A = std::move(A);
  }
  if (settings.reference == ReferenceSolution::double_double) add_reference(plan, stated);
  return stated;
}

/// True if the two plans are about the same system.
bool same_system(const Plan& a, const Plan& b) {
  const MatrixSettings &s = a.configuration.matrix, &t = b.configuration.matrix;
  return same_mesh(a.configuration.mesh, b.configuration.mesh) && s.file == t.file
         && s.right_hand_side == t.right_hand_side && s.reference == t.reference
         && s.generator.name == t.generator.name && s.generator.size == t.generator.size
         && s.generator.seed == t.generator.seed && s.generator.mean == t.generator.mean
         && s.generator.spread == t.generator.spread && s.generator.blocks == t.generator.blocks
         && s.generator.bandwidth == t.generator.bandwidth;
}

bool have_mesh(const std::vector<Plan>& plans) {
  return plans.front().configuration.mesh.is_used();
}

Cell count_cell(std::int64_t count) {
  return count;
}

std::string formats_of(const SolverOptions& solver) {
  std::string text = to_string(solver.precision);
  for (const Precision inner : solver.refinement.inner) text += ":" + to_string(inner);
  return text;
}

/// Bytes that moved over those that plain movement would have moved in the time.
std::optional<double> share_of_rate(const MatrixRun& run) {
  const Report& report = run.solved.report;
  if (!run.plain_rate || report.solve_seconds <= 0 || report.work.bytes == 0) return {};
  return static_cast<double>(report.work.bytes) / report.solve_seconds / *run.plain_rate;
}

nlohmann::ordered_json json_of(const MatrixRun& run, const std::vector<Column>& columns) {
  nlohmann::ordered_json row;
  row["name"] = run.plan->name;
  for (const auto& [key, value] : run.plan->varied) row["varied"][key] = value;
  const std::vector<Cell> cells = matrix_run_row(run);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_same_v<T, std::monostate>) {
            row[columns[k].key] = nullptr;
          } else {
            row[columns[k].key] = value;
          }
        },
        cells[k]);
  }
  row["history"] = run.solved.report.history;
  if (!run.solved.report.inner_history.empty()) {
    row["inner_history"] = run.solved.report.inner_history;
  }
  for (const TimedPart& part : run.solved.report.timeline) {
    row["timeline"][std::string(part.name)] = part.seconds;
  }
  return row;
}

std::string history_csv(const Report& report) {
  std::string text = "iteration,residual_reduction\n";
  for (std::size_t k = 0; k < report.history.size(); ++k) {
    text += fmt::format("{},{}\n", k, exact_number(report.history[k]));
  }
  return text;
}

Table table_of_runs(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs) {
  Table table(matrix_run_columns(plans));
  for (const MatrixRun& run : runs) table.add_row(matrix_run_row(run));
  return table;
}

/// What is said of one run.
std::string remark_of(const MatrixRun& run) {
  const Report& report = run.solved.report;
  const bool is_enough = run.map && run.map->texels && *run.map->texels <= texels_enough;
  if (!is_enough || report.outcome == Outcome::converged) return report.remark;
  const std::string text =
      report.remark.empty() ? fmt::format(
          "the residual ends at {:.1e} of the right-hand side{}", report.true_residual_reduction,
          report.outcome == Outcome::stagnated ? ", above the tolerance" : "")
                            : report.remark;
  return fmt::format("{}; the map is right to {:.2g} texels all the same", text, *run.map->texels);
}

/// What is said of the matrix, once if it is that of all runs, and one sentence for each run that
/// needs one.
std::vector<std::string> remarks_of(const std::vector<MatrixRun>& runs) {
  std::vector<std::string> all;
  if (runs.empty()) return all;
  const bool one_matrix = std::all_of(runs.begin(), runs.end(), [&](const MatrixRun& run) {
    return run.remarks == runs.front().remarks;
  });
  if (one_matrix) all = runs.front().remarks;
  for (const MatrixRun& run : runs) {
    const std::string where = runs.size() > 1 ? run.plan->name + ": " : "";
    if (!one_matrix) {
      for (const std::string& remark : run.remarks) all.push_back(where + remark);
    }
    if (const std::string remark = remark_of(run); !remark.empty()) all.push_back(where + remark);
  }
  return all;
}

Figure residual_figure(const std::vector<MatrixRun>& runs) {
  Figure figure{.title = "Residuals",
                .description = "the residual after each iteration, as a part of the first one",
                .x_label = "iteration",
                .y_label = "|r| / |b|"};
  for (const MatrixRun& run : runs) {
    FigureSeries series{run.plan->name + ": " + formats_of(run.plan->configuration.solver), {}};
    const std::vector<double>& history = run.solved.report.history;
    constexpr std::size_t most_points = 400;
    const std::size_t step = 1 + history.size() / most_points;
    const auto add = [&](std::size_t k) {
      series.points.push_back(
          {static_cast<double>(k), history[k], "#" + identifier(run.plan->name)});
    };
    for (std::size_t k = 0; k + 1 < history.size(); k += step) add(k);
    if (!history.empty()) add(history.size() - 1);
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// What matters first.
std::vector<std::string> summary_of(const std::vector<MatrixRun>& runs) {
  std::vector<std::string> lines;
  std::vector<JudgedMap> maps;
  for (const MatrixRun& run : runs) {
    if (!run.map) continue;
    const SolverOptions& solver = run.plan->configuration.solver;
    const auto first = std::find_if(runs.begin(), runs.end(), [&](const MatrixRun& other) {
      return same_mesh(other.plan->configuration.mesh, run.plan->configuration.mesh);
    });
    maps.push_back(
        {.run = run.plan->name,
         .formats = formats_of(solver),
         .is_single = solver.precision == Precision::single_ && !solver.refinement.used(),
         .mesh = static_cast<std::size_t>(first - runs.begin()),
         .finite = run.map->finite,
         .texels = run.map->texels});
  }
  if (!maps.empty()) lines.push_back(map_verdict(maps));
  for (const MatrixRun& run : runs) {
    const SparseSolved& solved = run.solved;
    std::string line = runs.size() > 1 ? run.plan->name + ": " : "";
    line += fmt::format("{} in {}: {} after {} iterations", run.matrix,
                        formats_of(run.plan->configuration.solver),
                        to_string(solved.report.outcome), solved.report.iterations);
    if (run.map) {
      if (run.map->texels) line += fmt::format(", largest error {:.1e} texels", *run.map->texels);
    } else if (solved.errors.l2) {
      line += fmt::format(", error {:.1e} of the solution", *solved.errors.l2);
    } else if (solved.errors.energy) {
      line += fmt::format(", error about {:.1e} of the solution in the energy norm",
                          *solved.errors.energy);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// The page; a `failure` has ended the runs before the last one.
void write_page(const fs::path& file, const std::vector<Plan>& plans, Article page,
                std::size_t finished, const std::string& failure) {
  const std::string count = fmt::format("{} of {} runs", finished, plans.size());
  if (!failure.empty()) {
    page.progress = Progress::failed;
    page.progress_text = fmt::format("Failed after {}: {}", count, failure);
  } else if (finished < plans.size()) {
    page.progress = Progress::running;
    page.progress_text =
        fmt::format("Not complete: {}. They go on; load the page again to see more.", count);
  }
  const std::string text = to_html(page);
  write_file_atomically(file, text);
  if (page.progress == Progress::running) {
    const ProgressPlace place = progress_place(text);
    set_interrupted_page(file.string(), place.at, place.length,
                         fmt::format("Interrupted: not complete, {}.", count));
  } else {
    set_interrupted_page("", 0, 0, "");
  }
}

void write_files(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs,
                 const std::string& json, const std::string& failure = "") {
  const fs::path folder = plans.front().configuration.output.directory;
  const Table table = table_of_runs(plans, runs);
  write_file_atomically(folder / "results.csv", table.to_csv());
  std::set<BackendKind> used;
  for (const Plan& plan : plans) {
    used.insert(choose_backend(plan.configuration.backend, plan.configuration.solver.precision));
  }
  const Meta meta = make_meta(used);
  nlohmann::ordered_json all;
  all["meta"] = {{"version", meta.version},
                 {"commit", meta.commit},
                 {"date", meta.date},
                 {"device", meta.device}};
  for (const auto& [key, value] : all_options(plans)) all["meta"]["options"][key] = value;
  all["runs"] = nlohmann::ordered_json::array();
  for (const MatrixRun& run : runs) all["runs"].push_back(json_of(run, table.columns()));
  const std::string text = all.dump(2) + "\n";
  write_file_atomically(folder / "results.json", text);
  if (!json.empty()) write_file_atomically(json, text);
  Article page = matrix_run_document(plans, runs);
  write_file_atomically(folder / "results.md", to_markdown(page));
  page.sections.push_back({"where",
                           "Where it ran",
                           {Facts{{{"device", meta.device},
                                   {"version", meta.version + " (" + meta.commit + ")"},
                                   {"date", meta.date}}}},
                           true});
  write_page(folder / "report.html", plans, std::move(page), runs.size(), failure);
}

/// On the page of the runs before it, if there are any.
void tell_failure(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs,
                  const std::string& json, const std::string& why) noexcept {
  if (runs.empty()) return;
  const Uninterrupted whole_files;
  set_interrupted_page("", 0, 0, "");
  try {
    write_files(plans, runs, json, why);
  } catch (const std::exception&) {  // the failure itself is told
  }
}

}  // namespace

bool is_done(const std::vector<MatrixRun>& runs, bool open_formats) {
  const auto is_good = [](const MatrixRun& run) {
    return run.solved.report.outcome == Outcome::converged
           || (run.map && run.map->texels && *run.map->texels <= texels_enough);
  };
  return open_formats ? std::any_of(runs.begin(), runs.end(), is_good)
                      : std::all_of(runs.begin(), runs.end(), is_good);
}

std::vector<Column> matrix_run_columns(const std::vector<Plan>& plans) {
  std::vector<Column> columns;
  if (plans.size() > 1) {
    columns.push_back({.key = "run", .header = "run", .align = Align::left});
    for (const auto& [key, unused] : plans.front().varied) {
      columns.push_back(
          {.key = key, .header = key.substr(key.rfind('.') + 1), .align = Align::left});
    }
  }
  const auto number = [&](const char* key, const char* header, NumberStyle style,
                          bool data_only = false) {
    columns.push_back({.key = key, .header = header, .style = style, .data_only = data_only});
  };
  const auto text = [&](const char* key, const char* header, bool data_only = false) {
    columns.push_back({.key = key, .header = header, .align = Align::left, .data_only = data_only});
  };
  text("matrix", "matrix", true);
  number("unknowns", "unknowns", {});
  number("entries", "entries", {});
  text("formats", "format");
  text("form", "form", true);
  text("storage", "storage");
  text("order", "order", true);
  number("iterations", "iterations", {});
  number("inner_iterations", "inner", {});
  text("outcome", "outcome");
  number("residual", "residual", scientific(2), true);
  number("true_residual", "true\nresidual", scientific(2));
  number("attainable_residual", "attainable", scientific(2), true);
  number("backward_error", "backward\nerror", scientific(2));
  const bool mesh = have_mesh(plans);
  if (mesh) number("error_texels", "error in\ntexels", significant(2));
  number("error_l2", "error", scientific(2), mesh);
  number("error_max", "largest error", scientific(2), true);
  number("estimated_energy_error", "error (est.)\nin energy", scientific(2));
  number("condition", "condition", significant(3));
  if (mesh) {
    number("turned_over", "turned\nover", {});
    number("median_stretch", "median\nstretch", significant(3), true);
    number("largest_stretch", "largest\nstretch", significant(3), true);
  }
  number("setup_seconds", "set-up s", significant(3));
  number("solve_seconds", "solve s", significant(3));
  number("matrix_bytes", "matrix bytes", {}, true);
  number("memory_bytes", "memory bytes", {}, true);
  number("moved_bytes", "moved bytes", {}, true);
  number("part_of_plain_rate", "of plain\nrate", significant(2));
  text("remark", "remark", true);
  return columns;
}

std::vector<Cell> matrix_run_row(const MatrixRun& run) {
  std::vector<Cell> cells;
  const SparseSolved& solved = run.solved;
  const Report& report = solved.report;
  const SolverOptions& solver = run.plan->configuration.solver;
  if (!run.plan->varied.empty()) {
    cells.emplace_back(run.plan->name);
    for (const auto& [unused, value] : run.plan->varied) cells.emplace_back(value);
  }
  const auto add = [&](Cell cell) { cells.push_back(std::move(cell)); };
  add(run.matrix);
  add(count_cell(run.rows));
  add(count_cell(run.entries));
  add(formats_of(solver));
  add(std::string(to_string(solved.form)));
  add(std::string(to_string(solved.storage)));
  add(std::string(to_string(solved.order)));
  add(count_cell(report.iterations));
  add(solver.refinement.used() ? count_cell(report.inner_iterations) : Cell());
  add(std::string(to_string(report.outcome)));
  add(report.residual_reduction);
  add(report.true_residual_reduction);
  add(report.attainable_reduction);
  add(solved.backward_error);
  if (run.map) add(to_cell(run.map->texels));
  add(to_cell(solved.errors.l2));
  add(to_cell(solved.errors.largest));
  add(to_cell(solved.errors.energy));
  add(to_cell(solved.condition));
  if (run.map) {
    const bool is_map = run.map->finite;
    add(is_map ? count_cell(run.map->turned_over) : Cell());
    add(is_map ? Cell(run.map->median_stretch) : Cell());
    add(is_map ? Cell(run.map->largest_stretch) : Cell());
  }
  add(report.setup_seconds);
  add(report.solve_seconds);
  add(count_cell(solved.matrix_bytes));
  add(count_cell(static_cast<std::int64_t>(report.memory_bytes)));
  add(count_cell(report.work.bytes));
  add(to_cell(share_of_rate(run)));
  add(report.remark);
  return cells;
}

Article matrix_run_document(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs) {
  Article document{.title = have_mesh(plans) ? "ninefold: a mesh laid flat"
                                             : "ninefold: systems with a sparse matrix"};
  document.summary = summary_of(runs);
  const Table table = table_of_runs(plans, runs);
  TableBlock block{"", table};
  for (const MatrixRun& run : runs) block.row_ids.push_back(identifier(run.plan->name));
  Section results{"results", "Results", {std::move(block)}};
  if (const auto remarks = remarks_of(runs); !remarks.empty()) {
    results.blocks.emplace_back(Items{remarks});
  }
  document.sections.push_back(std::move(results));
  Gallery maps;
  for (const MatrixRun& run : runs) {
    if (!run.map) continue;
    for (const Image* image : {&run.map->image, &run.map->surface}) {
      if (!image->png.empty()) maps.images.push_back(*image);
    }
  }
  if (!maps.images.empty()) {
    document.sections.push_back({"maps", "The mesh laid flat", {std::move(maps)}, true});
  }
  document.sections.push_back({"residuals", "Residuals", {residual_figure(runs)}, true});
  return document;
}

std::vector<MatrixRun> run_matrices(const std::vector<Plan>& plans, const std::string& json,
                                    const MatrixRunEvents& events) {
  const fs::path folder = plans.front().configuration.output.directory;
  std::vector<MatrixRun> runs;
  std::unique_ptr<Stated> stated;
  const auto run_next = [&](const Plan& plan) {
    const std::size_t k = runs.size();
    if (k == 0 || !same_system(plans[k - 1], plan)) {
      stated.reset();  // before the next one takes memory
      stated = std::make_unique<Stated>(stated_system(plan));
    }
    const SparsePattern& pattern = stated->problem.A.pattern;
    const BackendKind where = backend_of(plan);
    MatrixRun run{.plan = &plan,
                  .matrix = stated->name,
                  .rows = pattern.n_rows,
                  .entries = pattern.entries(),
                  .device = device_name(where),
                  .remarks = stated->remarks};
    if (k == 0) {
      ensure_writable_directory(folder);
      events.begin(fmt::format("{}: {} unknowns, {} entries; {}", run.matrix, run.rows, run.entries,
                               run.device));
    }
    run.solved = located(plan, source_key(plan.configuration), [&] {
      return solve_sparse(stated->problem, sparse_options(plan.configuration), where);
    });
    if (run.solved.report.memory_bytes >= memory_bound) run.plain_rate = measure_plain_rate(where);
    const Uninterrupted whole_files;
    if (plan.configuration.matrix.write_solution) {
      write_file_atomically(folder / (plan.name + "-solution.mtx"),
                            matrix_market_text(run.solved.solution.high));
    }
    write_file_atomically(folder / fmt::format("history-{}.csv", plan.name),
                          history_csv(run.solved.report));
    if (stated->mesh) {
      run.map =
          map_facts(*stated->mesh, run.solved.solution, stated->problem.solution,
                    fmt::format("{} in {}", run.matrix, formats_of(plan.configuration.solver)));
      write_map(*stated->mesh, run.solved.solution, *run.map, folder, plan.name);
    }
    run.solved.solution = {};
    runs.push_back(std::move(run));
    write_files(plans, runs, json);
    events.run_ends(runs.back());
  };
  for (const Plan& plan : plans) {
    try {
      run_next(plan);
    } catch (const std::exception& error) {
      tell_failure(plans, runs, json, error.what());
      throw;
    }
  }
  return runs;
}

}  // namespace ninefold
