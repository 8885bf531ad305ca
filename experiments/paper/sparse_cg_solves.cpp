#include "experiments/paper/sparse_cg_solves.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "experiments/paper/sparse_models.hpp"

namespace ninefold::sparse_cg {
namespace {

const Way& way_of(const std::string& name) {
  return *std::find_if(ways().begin(), ways().end(),
                       [&](const Way& way) { return way.name == name; });
}

SparseOptions options_of(const Way& way, const SparseModel& model) {
  SparseOptions options = by_cg(way.precision, tolerance);
  options.solver.form = way.form;
  if (way.form == OperatorForm::difference) options.components = model.components;
  if (way.mixed()) {
    options.solver.refinement.inner = {Precision::single_};
    options.solver.refinement.variant = *way.variant;
    options.solver.refinement.inner_form = OperatorForm::plain;
    // As JDS's: a number of steps that is known beforehand.
    if (way.variant == RefinementVariant::flexible_cg) {
      options.solver.refinement.stop = {{.iterations = flexible_steps, .digits = {}}};
    }
  }
  return options;
}

int alike(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t common = std::min(a.size(), b.size());
  return static_cast<int>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(common), b.begin()).first
      - a.begin());
}

/// CG in single in all storages; where a device solves, on the host, too.
void solve_again(const SparseModel& model, const SparseProblem& problem, int level,
                 const SparseSolved& first, BackendKind where, Found& found) {
  struct Place {
    std::string name;
    SparseStorage storage;
    BackendKind where;
  };
  std::vector<Place> places;
  for (const SparseStorage storage : {SparseStorage::compressed, SparseStorage::jagged,
                                      SparseStorage::blocks_2, SparseStorage::blocks_4}) {
    places.push_back({std::string(to_string(storage)), storage, where});
  }
  if (is_device(where)) {
    places.push_back({"sliced, on the host", SparseStorage::sliced, BackendKind::host});
  }
  for (const Place& place : places) {
    SparseOptions options = options_of(way_of("single plain"), model);
    options.storage = place.storage;
    const SparseSolved solved = solve_sparse(problem, options, place.where);
    const std::vector<double>&a = first.report.history, &b = solved.report.history;
    found.again.push_back({fmt::format("{}, {}", model.name, place.name), level,
                           static_cast<int>(std::max(a.size(), b.size())), alike(a, b),
                           solved.solution.high == first.solution.high});
  }
}

constexpr int cut_at[] = {125, 250, 500, 1000, 2000};

void solve_cut(const SparseModel& model, const SparseProblem& problem, int level, BackendKind where,
               Found& found) {
  for (const int steps : cut_at) {
    for (const std::string& name : cut_ways()) {
      const Way& way = way_of(name);
      SparseOptions options = options_of(way, model);
      options.solver.max_iterations = steps;
      options.solver.tolerance = 1e-15;  // so that the count ends it
      found.cuts.push_back({level, steps, &way, solve_sparse(problem, options, where)});
    }
  }
}

}  // namespace

const std::vector<std::string>& models() {
  static const std::vector<std::string> names{"parameterisation", "smoothing", "shell",
                                              "elasticity-3d"};
  return names;
}

const std::vector<Way>& ways() {
  using enum RefinementVariant;
  static const std::vector<Way> all{
      {"double", Precision::double_, OperatorForm::plain, {}},
      {"double:single guided", Precision::double_, OperatorForm::plain, residual_guided_cg},
      {"double:single flexible", Precision::double_, OperatorForm::plain, flexible_cg},
      {"double:single restarted", Precision::double_, OperatorForm::plain, refinement},
      {"single plain", Precision::single_, OperatorForm::plain, {}},
      {"single difference", Precision::single_, OperatorForm::difference, {}}};
  return all;
}

const std::vector<std::string>& cut_ways() {
  static const std::vector<std::string> names{"double", "single plain", "single difference"};
  return names;
}

Found find_all(const LevelRange& levels, SparseRuns& runs) {
  Found found;
  for (const std::string& name : models()) {
    for (int level = levels.first; level <= levels.last; ++level) {
      const SparseModel model = sparse_model(name, level);
      const SparseProblem problem = with_solution(model);
      for (const Way& way : ways()) {
        SparseSolved solved =
            runs.solve(name + " " + way.name, level, problem, options_of(way, model));
        found.solves.push_back({name, &way, level, model.A.pattern.n_rows, std::move(solved)});
      }
      if (name == "smoothing" || name == "parameterisation") {
        solve_again(model, problem, level, found.at(name, "single plain", level).solved,
                    runs.where(), found);
      }
      if (name == "parameterisation" && level == levels.last) {
        solve_cut(model, problem, level, runs.where(), found);
      }
    }
  }
  return found;
}

}  // namespace ninefold::sparse_cg
