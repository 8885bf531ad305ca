// Is single enough for meshes that are laid flat and smoothed, and what of CNC's numbers holds?
//
// Buatois, Caumon, Levy 2009 (CNC): table 3, unknowns and "non-zero elements" of parameterisations
// and smoothings; figure 3, reverse Cuthill-McKee; figure 9, what storages move; figure 11, the
// residual of a parameterisation in single, for which CPU and GPU agree for 500 iterations.  Beside
// the residual stands the error, which the paper does not show, in texels of a 4096^2 texture and
// in mean edges.
//
// Its meshes are not to be had: generated ones of their sizes are taken, and those of Debian's
// libcgal-demo where they are ($NINEFOLD_MESHES, else /usr/share/doc/libcgal-dev/data/meshes).
// Counts of steps and errors are compared with those of another program, written in NumPy
// (experiments/paper/mesh_solves.cpp); rates of machines with nothing.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "output/document/map_image.hpp"
#include "output/document/surface_image.hpp"

#include "experiments/paper/mesh_counts.hpp"
#include "experiments/paper/mesh_solves.hpp"
#include "experiments/paper/sparse_papers.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;
using namespace ninefold::mesh_precision;

constexpr LevelRange possible{2, 7};
constexpr LevelRange usual{5, 6}, full{4, 7};
// Of another program's counts: those of double, which go by what vertices it held, which is not
// known (others move counts by up to 5 %), and of single, where rounding has its part.
constexpr double double_margin = 0.03, single_margin = 0.2, error_factor = 3;
constexpr double least_gain = 5;  // of difference form, where the other program has as much
// Of meshes of so many vertices and more.
constexpr int least_smoothing = 150, most_smoothing = 180;
constexpr std::size_t fewest_vertices = 1000;

/// All solves of a mesh.
struct Solved {
  const FlatMesh* mesh;
  int unknowns;
  std::vector<FlatSolve> solves;

  const FlatSolve& by(const std::string& way) const {
    return *std::find_if(solves.begin(), solves.end(),
                         [&](const FlatSolve& one) { return one.way == way; });
  }
};

void compare_solve(Comparison& comparison, const Solved& of_mesh, const FlatSolve& one) {
  const FlatMesh& mesh = *one.mesh;
  const double residual = one.solved.report.true_residual_reduction;
  if (one.way.starts_with("double")) {
    comparison.statement("true residual", Source::theory, "below the tolerance", residual,
                         residual <= recurrence_drift * tolerance);
  }
  if (!mesh.known) return;
  const Known& known = *mesh.known;
  const auto close = [&](double ours, double other) {
    return ours <= error_factor * other && ours >= other / error_factor;
  };
  if (one.way == "double" && known.double_steps > 0) {
    if (mesh.is_made()) {
      comparison.leave_out("steps", std::int64_t{known.double_steps}, std::int64_t{one.steps},
                           "its patch has other places at random");
    } else {
      comparison.share("steps", Source::theory, known.double_steps, one.steps, 1, double_margin);
    }
  }
  const bool plain = one.way == "single plain", difference = one.way == "single difference";
  const int steps = plain ? known.plain_steps : difference ? known.difference_steps : 0;
  if (steps > 0) comparison.share("steps", Source::theory, steps, one.steps, 1, single_margin);
  if (plain && known.plain_texels > 0) {
    comparison.leave_out(
        "texels", known.plain_texels, one.texels,
        "what plain form loses goes by which vertices are held and by the order of "
        "sums");
  }
  if (difference && known.difference_texels > 0) {
    comparison.statement("texels", Source::theory,
                         fmt::format("within 3 times {}", known.difference_texels), one.texels,
                         close(one.texels, known.difference_texels));
  }
  if (difference && known.difference_texels > 0
      && known.plain_texels >= least_gain * known.difference_texels) {
    const double gain = of_mesh.by("single plain").texels / one.texels;
    comparison.statement("gain", Source::theory, "at least five times less than in plain form",
                         gain, gain >= least_gain);
  }
}

void report_texels(ExperimentReport& report, const std::vector<Solved>& all) {
  Table table(
      {text_column("mesh", "mesh"), level_column(), text_column("weight", "weight"),
       count_column("unknowns", "unknowns"), text_column("way", "way"),
       count_column("steps", "steps\nof CG"), count_column("other_steps", "another\nprogram"),
       text_column("outcome", "outcome"), error_column("residual", "residual\nof CG", 2),
       error_column("true_residual", "true\nresidual", 2),
       error_column("texels", "error,\ntexels", 2),
       error_column("other_texels", "another\nprogram", 2), text_column("agreement", "agrees")});
  Comparison comparison("mesh_precision, texels");
  for (const Solved& of_mesh : all) {
    const FlatMesh& mesh = *of_mesh.mesh;
    for (const FlatSolve& one : of_mesh.solves) {
      comparison.begin_row(fmt::format("{} {}", mesh.name, one.way), mesh.level);
      compare_solve(comparison, of_mesh, one);
      const Known known = mesh.known.value_or(Known{});
      const bool plain = one.way == "single plain", difference = one.way == "single difference";
      const int steps = one.way == "double" ? known.double_steps
                        : plain             ? known.plain_steps
                        : difference        ? known.difference_steps
                                            : 0;
      const double texels = plain ? known.plain_texels : difference ? known.difference_texels : 0;
      const Report& solved = one.solved.report;
      table.add_row({mesh.name, mesh.is_made() ? Cell(std::int64_t{mesh.level}) : Cell(),
                     std::string(to_string(mesh.known ? known.weight : TriangleWeight::conformal)),
                     std::int64_t{of_mesh.unknowns}, one.way, std::int64_t{one.steps},
                     steps > 0 ? Cell(std::int64_t{steps}) : Cell(),
                     std::string(to_string(solved.outcome)), solved.residual_reduction,
                     solved.true_residual_reduction, one.texels, texels > 0 ? Cell(texels) : Cell(),
                     comparison.verdict()});
    }
  }
  report.table("Meshes laid flat: residuals and errors", "texels", table);
  report.paragraph(fmt::format(
      "Double to {:g} (patch of level 6: 1e-12), single to {:g} (patches: {:g}) of its own "
      "residual; double:single is refinement that\nbegins anew after two digits.  Errors are those "
      "of the vertex that is farthest from where double-double has it.  Weight:\nthe one of "
      "mesh.weight with which the other program's counts are met.",
      tolerance, single_tolerance, single_patch_tolerance));
  report.add(std::move(comparison));
}

double per_row(std::int64_t values, const SparsePattern& pattern) {
  return static_cast<double>(values) / pattern.n_rows;
}

/// Three right-hand sides, solved together.
std::vector<SparseSolved> solve_smoothing(const SmoothingSystem& system,
                                          const std::vector<SparseRight>& rights,
                                          Precision precision, OperatorForm form,
                                          BackendKind where) {
  SparseOptions options = by_cg(precision, tolerance);
  options.solver.form = form;
  return solve_sparse(system.A, rights, options, where);
}

std::vector<SparseRight> rights_of(const SmoothingSystem& system, BackendKind where) {
  std::vector<SparseRight> rights;
  for (const WideVector& b : system.b) {
    rights.push_back({b, reference_solution(system.A, b, 10'000, where)});
  }
  return rights;
}

/// Of all vertices the largest distance from the reference, in mean edges.
double error_in_edges(const std::vector<SparseSolved>& solved,
                      const std::vector<SparseRight>& rights, double mean_edge) {
  double largest = 0;
  for (std::size_t p = 0; p < rights.front().b.high.size(); ++p) {
    SpacePoint off{};
    for (std::size_t k = 0; k < 3; ++k) {
      off[k] = static_cast<double>(solved[k].solution[p] - (*rights[k].solution)[p]);
    }
    const double error = std::hypot(off[0], off[1], off[2]);
    largest = std::isnan(error) ? error : std::max(largest, error);
  }
  return largest / mean_edge;
}

void report_smoothing(ExperimentReport& report, int level, BackendKind where) {
  Table table(
      {text_column("mesh", "mesh"), count_column("vertices", "vertices"),
       decimal_column("per_row", "entries\na row", 1), count_column("steps", "steps of CG,\nmost"),
       error_column("double", "error in mean\nedges: double", 2),
       error_column("plain", "single,\nplain", 2),
       error_column("difference", "single,\ndifference", 2), text_column("agreement", "agrees")});
  Comparison comparison("mesh_precision, smoothing");
  std::vector<Image> images;
  for (const FlatMesh& mesh : smoothed_meshes(level)) {
    const SmoothingSystem system = smoothing_system(mesh.mesh, fidelity);
    const std::vector<SparseRight> rights = rights_of(system, where);
    const double edge = mesh_lengths(mesh.mesh).mean_edge;
    const auto solved =
        solve_smoothing(system, rights, Precision::double_, OperatorForm::plain, where);
    comparison.begin_row(mesh.name, mesh.level);
    int most = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const int steps = solved[k].report.iterations;
      most = std::max(most, steps);
      const std::string what = fmt::format("steps, {}", "xyz"[k]);
      if (mesh.mesh.vertices.size() < fewest_vertices) {
        comparison.leave_out(what, Cell(), std::int64_t{steps}, "a small mesh takes fewer");
        continue;
      }
      comparison.statement(what, Source::theory,
                           fmt::format("{} to {}", least_smoothing, most_smoothing), steps,
                           steps >= least_smoothing && steps <= most_smoothing);
    }
    std::array<double, 2> in_single{};
    for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
      in_single[form == OperatorForm::plain ? 0 : 1] = error_in_edges(
          solve_smoothing(system, rights, Precision::single_, form, where), rights, edge);
    }
    comparison.statement("single", Source::theory, "right to a thousandth of an edge", in_single[1],
                         in_single[1] <= 1e-3);
    table.add_row({mesh.name, static_cast<std::int64_t>(mesh.mesh.vertices.size()),
                   per_row(system.A.pattern.entries(), system.A.pattern), std::int64_t{most},
                   error_in_edges(solved, rights, edge), in_single[0], in_single[1],
                   comparison.verdict()});
    if (mesh.name != "bumps") continue;
    const SurfaceView view = view_of_shape(mesh.mesh);
    const TriangleMesh after =
        smoothed(mesh.mesh, system, {solved[0].solution, solved[1].solution, solved[2].solution});
    images.push_back(lit_image(mesh.mesh, view, "bumps"));
    images.push_back(lit_image(after, view, "bumps, smoothed"));
  }
  report.table("Meshes smoothed: x, y and z solved together", "smoothing", table);
  report.paragraph(fmt::format(
      "Fidelity {}, to {:g}, Jacobi's preconditioner; each vertex against the mean of its "
      "neighbours, with which any mesh\ntakes about as many steps.",
      fidelity, tolerance));
  report.add(std::move(comparison));
  report.gallery(std::move(images));
}

/// How many residuals of two histories are the same from the first on.
int alike(const SparseSolved& a, const SparseSolved& b) {
  const std::vector<double>&p = a.report.history, &q = b.report.history;
  const auto common = static_cast<std::ptrdiff_t>(std::min(p.size(), q.size()));
  return static_cast<int>(std::mismatch(p.begin(), p.begin() + common, q.begin()).first
                          - p.begin());
}

void report_bits(ExperimentReport& report, const FlatMesh& mesh, const FlatSystem& system,
                 BackendKind where) {
  const bool on_device = is_device(where);
  const int threads = omp_get_max_threads();
  const auto twice = [&](const auto& solve) {
    if (!on_device) omp_set_num_threads(1);
    auto first = solve(on_device ? where : BackendKind::host);
    if (!on_device) omp_set_num_threads(std::max(threads, 4));
    auto second = solve(BackendKind::host);
    omp_set_num_threads(threads);
    return std::pair{std::move(first), std::move(second)};
  };
  Table table({text_column("what", "CG in single"),
               count_column("paper_alike", "iterations alike,\nCPU and GPU, paper"),
               count_column("alike", "alike\nours"), count_column("iterations", "of"),
               text_column("solution", "solution"), text_column("agreement", "agrees")});
  Comparison comparison("mesh_precision, figure 11");
  const auto add = [&](const std::string& what, const SparseSolved& a, const SparseSolved& b) {
    const auto iterations =
        static_cast<int>(std::max(a.report.history.size(), b.report.history.size()));
    const bool same = a.solution.high == b.solution.high;
    comparison.begin_row(what, mesh.level);
    comparison.count("iterations alike", Source::theory, iterations, alike(a, b));
    comparison.statement("solution", Source::theory, "the same bits", same, same);
    table.add_row({what, std::int64_t{cnc::iterations_alike}, std::int64_t{alike(a, b)},
                   std::int64_t{iterations}, std::string(same ? "the same" : "another"),
                   comparison.verdict()});
  };
  for (const std::string way : {"single plain", "single difference"}) {
    const auto [a, b] = twice(
        [&](BackendKind on) { return solve_sparse(system.problem, options_of(mesh, way), on); });
    add(fmt::format("{}, {}", mesh.name, way), a, b);
  }
  const SmoothingSystem smooth = smoothing_system(mesh.mesh, fidelity);
  std::vector<SparseRight> rights;
  for (const WideVector& b : smooth.b) rights.push_back({b, {}});
  const auto [a, b] = twice([&](BackendKind on) {
    return solve_smoothing(smooth, rights, Precision::single_, OperatorForm::difference, on);
  });
  for (std::size_t k = 0; k < 3; ++k) {
    add(fmt::format("{} smoothed, {}", mesh.name, "xyz"[k]), a[k], b[k]);
    const SparseSolved alone = solve_sparse(
        {smooth.A, smooth.b[k], {}},
        [] {
          SparseOptions options = by_cg(Precision::single_, tolerance);
          options.solver.form = OperatorForm::difference;
          return options;
        }(),
        where);
    add(fmt::format("{} smoothed, {} together and alone", mesh.name, "xyz"[k]), a[k], alone);
  }
  report.table("Figure 11 of CNC: how long residuals agree", "figure_11", table);
  report.paragraph(on_device
                       ? "Host and device, to the last bit."
                       : "There is no device here: one thread and several of the host, to the "
                         "last bit.");
  report.add(std::move(comparison));
}

void report_pictures(ExperimentReport& report, const FlatMesh& mesh, const FlatSystem& system) {
  const std::vector<PlanePoint> places =
      places_of(system.conformal, mesh.mesh.vertices.size(), system.problem.solution->high);
  std::vector<PlanePoint> texture = places;
  SpacePoint least{places.front()[0], places.front()[1], 0};
  for (const PlanePoint& p : places) {
    for (std::size_t k = 0; k < 2; ++k) least[k] = std::min(least[k], p[k]);
  }
  for (PlanePoint& p : texture) {
    for (std::size_t k = 0; k < 2; ++k) p[k] = (p[k] - least[k]) / system.side;
  }
  std::vector<Image> images;
  images.push_back(map_image(places, mesh.mesh.triangles, map_distortion(mesh.mesh, places).stretch,
                             mesh.name + " laid flat"));
  images.push_back(surface_image(mesh.mesh, texture, mesh.name + ", textured"));
  report.gallery(std::move(images));
}

bool run(const ExperimentOptions& options) {
  const LevelRange levels = options.levels.value_or(options.full ? full : usual);
  const std::vector<FlatMesh> meshes = flat_meshes(levels);
  int solves = 0;
  for (const FlatMesh& mesh : meshes) solves += static_cast<int>(ways_of(mesh).size());
  SparseRuns runs(options, solves);
  std::vector<Solved> all;
  std::list<FlatSystem> systems;
  for (const FlatMesh& mesh : meshes) {
    systems.push_back(flat_system(mesh, runs.where()));
    all.push_back({&mesh, systems.back().problem.A.pattern.n_rows, {}});
    for (const std::string& way : ways_of(mesh)) {
      all.back().solves.push_back(solve_flat(mesh, systems.back(), way, runs));
    }
  }
  runs.finish();
  ExperimentReport report("Meshes in single and double", runs.results(), options.output);
  if (!folder_of_meshes()) {
    report.paragraph(
        "The meshes of Debian's libcgal-demo are not here (NINEFOLD_MESHES=FOLDER names them): "
        "they "
        "are skipped.");
  }
  report_sizes(report, options.full);
  report_texels(report, all);
  const auto patch = static_cast<std::size_t>(levels.last - levels.first);
  report_pictures(report, meshes.back(), systems.back());
  report_smoothing(report, levels.last, runs.where());
  report_bits(report, meshes[patch],
              *std::next(systems.begin(), static_cast<std::ptrdiff_t>(patch)), runs.where());
  report_orders(report, meshes);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(argc, argv,
                        {.name = "mesh_precision",
                         .question = "Is single enough for meshes that are laid flat and smoothed?",
                         .possible = possible,
                         .defaults = "5 6",
                         .full = "levels 4 to 7, and all sizes of CNC's table 3"},
                        run);
}
