#include "experiments/program/live_table.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "grids/tensor_grid.hpp"

#include "solvers/estimate/level_errors.hpp"
#include "solvers/estimate/precision_forecast.hpp"

#include "output/tables/results_files.hpp"

namespace ninefold {
namespace {

/// Where the last line of a text begins; the text ends with a line feed.
std::size_t last_line(const std::string& text) {
  const std::size_t before = text.rfind('\n', text.size() - 2);
  return before == std::string::npos ? 0 : before + 1;
}

void keep_longer(std::string& longest, const std::string& text) {
  if (text.size() > longest.size()) longest = text;
}

void widen(LevelResult& row, const Configuration& c) {
  const std::int64_t nodes = (std::int64_t{1} << c.last_level) + 1;
  row.level = std::max(row.level, c.last_level);
  row.unknowns = std::max(row.unknowns, nodes * nodes);
  row.iterations = std::max(row.iterations, c.solver.max_iterations);
  if (c.solver.refinement.used() || c.automatic_precision) row.inner_iterations = 1234567890;
  if (!c.problem.solution.empty()) {
    row.error_l2 = row.error_rms = row.error_max = 1.23456e-10;
    if (c.last_level > c.first_level) row.reduction_factor = 1.23e-10;
  }
  if (c.automatic_precision) {
    for (const PrecisionPath& path : automatic_paths(0)) keep_longer(row.formats, to_words(path));
  }
  if (c.output.estimates) row.algebraic_l2 = row.rounding_l2 = 1.2e-10;
  if (c.output.estimates && c.last_level >= first_estimated_level) {
    row.estimated_l2 = 1.23e-10;
    if (c.problem.solution.empty()) row.observed_order = 2;
  }
}

}  // namespace

LiveTable::LiveTable(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs)
    : several_(plans.size() > 1) {
  LevelResult row;
  row.outcome = "not finite";
  row.residual_reduction = row.true_residual_reduction = 1.23e-10;
  row.setup_seconds = row.solve_seconds = 0.000123;
  row.memory_bytes = 129;  // 0.000123 MiB
  widest_.varied = plans.front().varied;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const Plan& plan = plans[k];
    keep_longer(widest_.name, plan.name);
    for (std::size_t v = 0; v < plan.varied.size(); ++v) {
      keep_longer(widest_.varied[v].second, plan.varied[v].second);
    }
    widen(row, plan.configuration);
    const TensorGrid& finest = runs[k].levels.back().finest();
    row.h_min = finest.h_min();
    row.aspect_ratio = std::max(row.aspect_ratio, finest.max_aspect_ratio());
  }
  widest_.levels.push_back(row);
}

std::string LiveTable::render(const RunResult* run) const {
  if (!several_) {
    RunResult both = widest_;
    if (run != nullptr) both.levels.push_back(run->levels.back());
    return level_table(both).to_text();
  }
  // Twice the widest row, so that the table is one of several runs even without another.
  Results results{{}, {widest_, widest_}};
  if (run != nullptr) results.runs.push_back({run->name, run->varied, {run->levels.back()}});
  return level_table(results).to_text();
}

std::string LiveTable::heading() const {
  std::string text = render(nullptr);
  text.resize(last_line(text));
  if (several_) text.resize(last_line(text));
  return text;
}

std::string LiveTable::row(const RunResult& run) const {
  const std::string text = render(&run);
  return text.substr(last_line(text));
}

}  // namespace ninefold
