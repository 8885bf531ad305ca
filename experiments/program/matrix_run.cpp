#include "experiments/program/matrix_run.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "fem/sparse/matrix_market.hpp"

#include "solvers/sparse/sparse_systems.hpp"

#include "output/document/html.hpp"
#include "output/tables/files.hpp"

#include "experiments/program/interrupt.hpp"
#include "experiments/program/matrix_results.hpp"
#include "experiments/program/mesh_source.hpp"
#include "experiments/program/plain_rate.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/program/results_place.hpp"
#include "experiments/program/stated_group.hpp"
#include "experiments/program/stated_system.hpp"

namespace ninefold {
namespace {

namespace fs = std::filesystem;

/// What is said of one run.
std::string remark_of(const MatrixRun& run) {
  if (!run.refusal.empty()) return run.refusal;
  const Report& report = run.solved.report;
  if (!run.is_near() || report.outcome == Outcome::converged) return report.remark;
  const bool is_held = report.outcome == Outcome::stagnated;  // what would help is not needed
  const std::string text =
      report.remark.empty() || is_held ? fmt::format(
          "the residual ends at {:.1e} of the right-hand side{}", report.true_residual_reduction,
          is_held ? fmt::format(", above the tolerance of {:g}",
                                run.plan->configuration.solver.tolerance)
                  : "")
                                       : report.remark;
  return fmt::format("{}; the {} all the same", text,
                     run.map ? fmt::format("map is right to {:.2g} texels", *run.map->texels)
                             : fmt::format("mesh is right to {:.2g} of the mean edge",
                                           *run.smooth->error_in_edges));
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
  for (std::size_t k = 0; k < runs.size(); k += runs[k].together) {
    if (runs[k].together == 1) continue;
    all.push_back(
        fmt::format("{} to {} were solved side by side: seconds, memory and bytes are "
                    "those of all together",
                    runs[k].plan->name, runs[k + runs[k].together - 1].plan->name));
  }
  return all;
}

Figure residual_figure(const std::vector<MatrixRun>& runs) {
  Figure figure{.title = "Residuals",
                .description =
                    "the residual after each iteration, as the method updates it, as a "
                    "part of the first one",
                .x_label = "iteration",
                .y_label = "|r| / |b|"};
  for (const MatrixRun& run : runs) {
    figure.series.push_back(history_series(*run.plan, run.solved.report.history));
  }
  return figure;
}

/// What matters first.
std::vector<std::string> summary_of(const std::vector<MatrixRun>& runs) {
  std::vector<std::string> lines;
  std::vector<JudgedRun> judged;
  for (const MatrixRun& run : runs) {
    if ((!run.map && !run.smooth) || !run.refusal.empty()) continue;
    const SolverOptions& solver = run.plan->configuration.solver;
    const auto first = std::find_if(runs.begin(), runs.end(), [&](const MatrixRun& other) {
      return same_mesh(other.plan->configuration.mesh, run.plan->configuration.mesh);
    });
    judged.push_back(
        {.run = run.plan->name,
         .formats = formats_of(solver),
         .is_single = solver.precision == Precision::single_ && !solver.refinement.used(),
         .mesh = static_cast<std::size_t>(first - runs.begin()),
         .finite = run.map ? run.map->finite : run.smooth->finite,
         .has_met_tolerance = run.solved.report.outcome == Outcome::converged,
         .error = run.mesh_error()});
  }
  if (!judged.empty()) {
    lines.push_back(mesh_verdict(judged, runs.front().map ? in_texels : in_edges));
  }
  for (const MatrixRun& run : runs) {
    const SparseSolved& solved = run.solved;
    std::string line = runs.size() > 1 ? run.plan->name + ": " : "";
    line += fmt::format("{} in {}: {}", run.matrix, formats_of(run.plan->configuration.solver),
                        ending_of(solved.report, run.refusal));
    if (run.map) {
      if (run.map->texels) line += fmt::format(", largest error {:.1e} texels", *run.map->texels);
    } else if (run.smooth) {
      if (const auto error = run.mesh_error()) {
        line += fmt::format(", largest error {:.1e} of the mean edge", *error);
      }
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

/// Of meshes.
void add_pictures(const std::vector<MatrixRun>& runs, bool smooths, Article& document) {
  Gallery gallery;
  for (const MatrixRun& run : runs) {
    std::vector<const Image*> images{&run.before};
    if (run.map) images = {&run.map->image, &run.map->surface};
    if (run.smooth) images.push_back(&run.smooth->after);
    for (const Image* image : images) {
      if (!image->png.empty()) gallery.images.push_back(*image);
    }
  }
  if (gallery.images.empty()) return;
  if (smooths) {
    document.sections.push_back({"meshes", "Before and after", {std::move(gallery)}, true});
  } else {
    document.sections.push_back({"maps", "The mesh laid flat", {std::move(gallery)}, true});
  }
}

bool has_one_system(const std::vector<Plan>& plans) {
  return std::all_of(plans.begin(), plans.end(),
                     [&](const Plan& plan) { return same_system(plans.front(), plan); });
}

std::vector<std::string> refusals_of(const std::vector<MatrixRun>& runs) {
  std::vector<std::string> refusals;
  for (const MatrixRun& run : runs) refusals.push_back(run.refusal);
  return refusals;
}

/// A study is of one table.
void require_one_task(const std::vector<Plan>& plans) {
  for (const Plan& plan : plans) {
    if (plan.configuration.mesh.chosen_task() == plans.front().configuration.mesh.chosen_task()) {
      continue;
    }
    const Setting* setting = find_setting(plan.settings, "mesh.task");
    const std::string why = "differs between runs: a study is about one task";
    if (setting != nullptr) refuse(*setting, why);
    throw ConfigurationError("mesh.task " + why);
  }
}

/// What is solved first.
std::string heading_of(const StatedGroup& stated) {
  std::int64_t unknowns = 0, entries = 0;
  for (std::size_t k = 0; k < stated.size(); ++k) {
    unknowns += stated[k].A.pattern.n_rows;
    entries += stated[k].A.pattern.entries();
  }
  const std::string what =
      stated.size() == 1 ? stated[0].name : fmt::format("{} systems", stated.size());
  return fmt::format("{}: {} unknowns, {} entries", what, unknowns, entries);
}

/// What a run's solves leave in files, those of a mesh but for the mesh; k < 0 is the only one.
void write_solve(const Plan& plan, const SparseSolved& solved, int k) {
  const fs::path folder = plan.configuration.output.directory;
  const std::string name =
      plan.name
      + (k < 0 ? "" : "-" + std::string(coordinate_names.at(static_cast<std::size_t>(k))));
  if (plan.configuration.matrix.write_solution) {
    write_file_atomically(folder / (name + "-solution.mtx"),
                          matrix_market_text(solved.solution.high));
  }
  write_file_atomically(folder / fmt::format("history-{}.csv", name),
                        matrix_history_csv(solved.report));
}

/// Makes of the solution what it is for.
void take_solved(const StatedSystem& stated, const Plan& plan, BackendKind where,
                 const SolvedPlan& found, MatrixRun& run) {
  run.refusal = found.refusal;
  if (!found.solved) {
    if (stated.mesh) run.map.emplace();
    if (stated.smooth) run.smooth.emplace();
    return;
  }
  const std::vector<SparseSolved>& solved = *found.solved;
  const bool is_mixed = plan.configuration.solver.refinement.used();
  run.solved = as_one(solved, is_mixed ? Solving::one_by_one : Solving::side_by_side);
  if (run.solved.report.memory_bytes >= memory_bound) {
    run.plain_rate = plain_rate_of(plan.configuration.solver, where);
  }
  const Uninterrupted whole_files;
  const bool is_one = solved.size() == 1;
  for (std::size_t k = 0; k < solved.size(); ++k) {
    write_solve(plan, solved[k], is_one ? -1 : static_cast<int>(k));
  }
  const fs::path folder = plan.configuration.output.directory;
  const std::string title =
      fmt::format("{} in {}", run.matrix, formats_of(plan.configuration.solver));
  if (stated.mesh) {
    run.map =
        map_facts(*stated.mesh, solved.front().solution, stated.rights.front().solution, title);
    write_map(*stated.mesh, *run.map, folder, plan.name);
    // Of the size of the mesh, and written.
    run.map->distortion.stretch = run.map->distortion.area = {};
    run.map->texture = {};
  }
  if (stated.smooth) {
    run.smooth = smooth_facts(*stated.smooth, solved, stated.rights, title);
    write_smoothed(*stated.smooth, *run.smooth, folder, plan.name);
    run.smooth->mesh = {};
  }
}

}  // namespace

std::optional<double> MatrixRun::mesh_error() const {
  if (map) return map->texels;
  if (smooth) return smooth->error_in_edges;
  return {};
}

bool MatrixRun::is_near() const {
  const std::optional<double> error = mesh_error();
  return error && *error <= (map ? in_texels : in_edges).enough;
}

bool is_done(const std::vector<MatrixRun>& runs, bool open_formats) {
  const auto is_good = [](const MatrixRun& run) {
    if (!run.refusal.empty()) return false;
    return run.solved.report.outcome == Outcome::converged || run.is_near();
  };
  return open_formats ? std::any_of(runs.begin(), runs.end(), is_good)
                      : std::all_of(runs.begin(), runs.end(), is_good);
}

Article matrix_run_document(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs) {
  const MeshSettings& mesh = plans.front().configuration.mesh;
  Article document{.title = mesh.is_smoothed() ? "ninefold: a mesh smoothed"
                            : mesh.is_used()   ? "ninefold: a mesh laid flat"
                                               : "ninefold: systems with a sparse matrix"};
  document.summary = summary_of(runs);
  const Table table = matrix_run_table(plans, runs);
  TableBlock block{"", table};
  for (const MatrixRun& run : runs) block.row_ids.push_back(identifier(run.plan->name));
  Section results{"results", "Results", {std::move(block)}};
  if (const auto remarks = remarks_of(runs); !remarks.empty()) {
    results.blocks.emplace_back(Items{remarks});
  }
  document.sections.push_back(std::move(results));
  add_pictures(runs, mesh.is_smoothed(), document);
  document.sections.push_back({"residuals", "Residuals", {residual_figure(runs)}, true});
  return document;
}

std::vector<MatrixRun> run_matrices(const std::vector<Plan>& plans, const std::string& json,
                                    const MatrixRunEvents& events) {
  const fs::path folder = plans.front().configuration.output.directory;
  require_one_task(plans);
  std::vector<MatrixRun> runs;
  StatedGroup stated;
  // Other ranks make the same solves in the same order (follow_matrices()).
  const auto run_group = [&](std::span<const Plan> group) {
    const bool is_first = runs.empty();
    const bool is_new = stated.state(group);
    const Plan& first = group.front();
    const BackendKind where = backend_of(first);
    const std::string device = devices_name(where, first.configuration.solver.ranks.get());
    if (is_first) {
      make_places(folder, json);
      events.begin(heading_of(stated) + "; " + device);
    }
    const std::vector<SolvedPlan> solved = solve_group(group, stated, where, plans.size() == 1);
    const bool side_by_side = are_side_by_side(sparse_options(first.configuration));
    for (std::size_t k = 0; k < group.size(); ++k) {
      const SparsePattern& pattern = stated[k].A.pattern;
      MatrixRun run{.plan = &group[k],
                    .matrix = stated[k].name,
                    .rows = pattern.n_rows,
                    .entries = pattern.entries(),
                    .device = device,
                    .together = side_by_side ? group.size() : 1,
                    .remarks = stated[k].remarks};
      if (stated[k].smooth && is_new) {
        run.before = picture_before(*stated[k].smooth);
        write_picture(
            run.before,
            folder / (has_one_system(plans) ? "before.png" : run.plan->name + "-before.png"));
      }
      take_solved(stated[k], group[k], where, solved[k], run);
      runs.push_back(std::move(run));
    }
    if (plans.size() == runs.size()) require_one_solved(plans.front(), refusals_of(runs));
    write_matrix_results(plans, runs, json);
    for (std::size_t k = runs.size() - group.size(); k < runs.size(); ++k) events.run_ends(runs[k]);
  };
  while (runs.size() < plans.size()) {
    try {
      run_group(group_of(plans, runs.size()));
    } catch (const std::exception& error) {
      tell_matrix_failure(plans, runs, json, error.what());
      throw;
    }
  }
  return runs;
}

}  // namespace ninefold
