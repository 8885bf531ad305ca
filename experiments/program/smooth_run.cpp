#include "experiments/program/smooth_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "precision/double_word.hpp"
#include "precision/larger.hpp"
#include "precision/require.hpp"

#include "grids/mesh/mesh_file.hpp"

#include "output/tables/files.hpp"
#include "output/vtk/vtp.hpp"

#include "experiments/program/mesh_source.hpp"

namespace ninefold {
namespace {

double length(const SpacePoint& v) {
  return std::hypot(v[0], v[1], v[2]);
}

std::string mesh_text(const TriangleMesh& mesh, const std::string& ending) {
  if (ending == ".off") return off_text(mesh);
  if (ending == ".ply") return ply_text(mesh);
  return obj_text(mesh);
}

/// How bad an outcome is.
int rank(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return 0;
    case Outcome::step_limit:
      return 1;
    case Outcome::stagnated:
      return 2;
    case Outcome::diverged:
      return 3;
    case Outcome::not_finite:
      break;
  }
  return 4;
}

/// The larger one of those that are there.
std::optional<double> larger(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a ? a : b;
  return ninefold::larger(*a, *b);
}

}  // namespace

double halved_wave(double fidelity) {
  return std::numbers::pi / std::pow(fidelity, 0.25);
}

SmoothProblem smooth_problem(const MeshSettings& settings) {
  SourceMesh source = source_mesh(settings);
  SmoothProblem problem;
  problem.name = source.name;
  problem.ending = std::filesystem::path(settings.file).extension().string();
  refused_with_remedy(source, [&] {
    require_areas(source.mesh, source.numbers());
    problem.lengths = mesh_lengths(source.mesh);
    problem.system = smoothing_system(source.mesh, settings.fidelity);
  });
  problem.remarks = std::move(source.remarks);
  if (const std::size_t parts = source.edges.part_sizes.size(); parts > 1) {
    problem.remarks.push_back(
        fmt::format("{} parts are smoothed, each by itself unless it shares a vertex with another "
                    "(a part hangs together along edges)",
                    parts));
  }
  if (source.edges.isolated >= 0) {
    problem.remarks.push_back(
        fmt::format("vertices that belong to no triangle stay where they are, the first of them {}",
                    source.edges.isolated));
  }
  problem.remarks.push_back(
      fmt::format("the mean edge is {:.3g} long, the diagonal of the mesh's box {:.3g}",
                  problem.lengths.mean_edge, problem.lengths.diagonal));
  problem.remarks.push_back(
      fmt::format("of waves {:.2g} mean edges long about half is left, of shorter ones less, by "
                  "mesh.fidelity = "
                  "{:g}; a larger one keeps more",
                  halved_wave(settings.fidelity), settings.fidelity));
  problem.mesh = std::move(source.mesh);
  problem.view = view_of_shape(problem.mesh);
  return problem;
}

SparseSolved as_one(const std::vector<SparseSolved>& solved, Solving how) {
  const auto worst = std::max_element(
      solved.begin(), solved.end(),
      [](const auto& a, const auto& b) { return rank(a.report.outcome) < rank(b.report.outcome); });
  const auto longest = std::max_element(
      solved.begin(), solved.end(),
      [](const auto& a, const auto& b) { return a.report.iterations < b.report.iterations; });
  SparseSolved all = *longest;
  all.solution = {};
  Report& report = all.report;
  report.outcome = worst->report.outcome;
  report.remark = worst->report.remark;
  if (solved.size() > 1 && !report.remark.empty()) {
    const auto k = static_cast<std::size_t>(worst - solved.begin());
    report.remark = fmt::format("{}: {}", coordinate_names.at(k), report.remark);
  }
  for (const SparseSolved& own : solved) {
    report.residual_reduction = larger(report.residual_reduction, own.report.residual_reduction);
    report.true_residual_reduction =
        larger(report.true_residual_reduction, own.report.true_residual_reduction);
    report.attainable_reduction =
        larger(report.attainable_reduction, own.report.attainable_reduction);
    report.memory_bytes = std::max(report.memory_bytes, own.report.memory_bytes);
    all.backward_error = larger(all.backward_error, own.backward_error);
    all.errors.l2 = larger(all.errors.l2, own.errors.l2);
    all.errors.largest = larger(all.errors.largest, own.errors.largest);
    all.errors.energy = larger(all.errors.energy, own.errors.energy);
    all.condition = larger(all.condition, own.condition);
  }
  if (how == Solving::one_by_one) {
    report.setup_seconds = report.solve_seconds = 0;
    report.inner_iterations = 0;
    report.transferred_bytes = 0;
    report.work = report.outer_work = {};
    for (const SparseSolved& own : solved) {
      report.setup_seconds += own.report.setup_seconds;
      report.solve_seconds += own.report.solve_seconds;
      report.inner_iterations += own.report.inner_iterations;
      report.transferred_bytes += own.report.transferred_bytes;
      report.work += own.report.work;
      report.outer_work += own.report.outer_work;
    }
  }
  return all;
}

SmoothFacts smooth_facts(const SmoothProblem& problem, const std::vector<SparseSolved>& solved,
                         const std::vector<SparseRight>& rights, const std::string& title) {
  SmoothFacts facts;
  std::array<WideVector, 3> solution;
  for (std::size_t k = 0; k < 3; ++k) solution[k] = solved[k].solution;
  facts.mesh = smoothed(problem.mesh, problem.system, solution);
  const std::size_t n = problem.mesh.vertices.size();
  facts.finite = std::all_of(facts.mesh.vertices.begin(), facts.mesh.vertices.end(),
                             [](const SpacePoint& p) { return std::isfinite(length(p)); });
  if (!facts.finite) return facts;
  double error = 0, sum = 0;
  const bool is_known = rights[0].solution && rights[1].solution && rights[2].solution;
  for (std::size_t p = 0; p < n; ++p) {
    const double moved = length(difference(facts.mesh.vertices[p], problem.mesh.vertices[p]));
    facts.largest_move = std::max(facts.largest_move, moved);
    sum += moved;
    if (!is_known) continue;
    SpacePoint off{};
    for (std::size_t k = 0; k < 3; ++k) {
      off[k] = static_cast<double>(solution[k][p] - (*rights[k].solution)[p]);
    }
    error = std::max(error, length(off));
  }
  const double edge = problem.lengths.mean_edge;
  facts.largest_move /= edge;
  facts.mean_move = sum / static_cast<double>(n) / edge;
  if (is_known) {
    facts.error_in_edges = error / edge;
    facts.error_in_diagonals = error / problem.lengths.diagonal;
  }
  facts.after = lit_image(facts.mesh, problem.view, title + ", smoothed");
  return facts;
}

Image picture_before(const SmoothProblem& problem) {
  return lit_image(problem.mesh, problem.view, problem.name + " before");
}

void write_smoothed(const SmoothProblem& problem, const SmoothFacts& facts,
                    const std::filesystem::path& folder, const std::string& name) {
  if (!facts.finite) return;
  const std::string ending =
      problem.ending == ".off" || problem.ending == ".ply" ? problem.ending : ".obj";
  write_file_atomically(folder / (name + ending), mesh_text(facts.mesh, ending));
  std::vector<SpacePoint> displacement;
  displacement.reserve(facts.mesh.vertices.size());
  for (std::size_t p = 0; p < facts.mesh.vertices.size(); ++p) {
    displacement.push_back(difference(facts.mesh.vertices[p], problem.mesh.vertices[p]));
  }
  const std::vector<VertexVectors> vectors{{"displacement", displacement}};
  write_file_atomically(folder / (name + ".vtp"), vtp_text(facts.mesh, {}, {}, vectors));
  write_picture(facts.after, folder / (name + "-after.png"));
}

}  // namespace ninefold
