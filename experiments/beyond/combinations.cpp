// Which precision is enough, and which combination of precisions gets there soonest?
//
// All pairs of an outer format, which keeps the solution and its residual, and an inner one, no
// more precise, which solves for the corrections; three cascades of formats; and other ways to
// combine double with single.  Test A on one level, by multigrid in difference form, each to where
// its residual goes: steps, attained error, time and memory.

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "output/plots/colours.hpp"
#include "output/plots/lane_plot.hpp"

#include "experiments/paper/paper.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"
#include "experiments/support/solver_paths.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 13};
constexpr int host_level = 8, device_level = 10, host_level_full = 9, device_level_full = 12;
constexpr PathSolve to_the_end{.tolerance = 1e-11, .most_iterations = 60};
constexpr int most_cg_iterations = 20000;
constexpr double seconds_per_median = 0.25;

// By which margins errors shall agree.
constexpr double exact_margin = 1e-4;  // of the formats with more digits than double-single
constexpr double native_margin = 0.1;  // with the outer format alone, as long as it is within...
constexpr double enough = 0.1;         // ... this of the exact error; beyond,
constexpr double lost = 0.25;          // if it is off by this, no inner format gets below `enough`

constexpr int first_level_of_memory = 4;  // on fewer nodes single values count

/// The outer formats, the most precise first, with the inner ones; soft ones are the host's.
const std::vector<SolverPath>& paths() {
  static const Precision half = Precision::half, bfloat16 = Precision::bfloat16,
                         single = Precision::single_, double_single = Precision::double_single,
                         double_ = Precision::double_, double_double = Precision::double_double,
                         s36 = Precision::soft(36, 11), s16 = Precision::soft(16, 8);
  static const std::vector<SolverPath> all = [] {
    const std::vector<Precision> outer{double_double, double_, double_single, s36,
                                       single,        half,    bfloat16};
    const std::vector<Precision> inner{double_double, double_, double_single, s36,
                                       single,        s16,     half,          bfloat16};
    std::vector<SolverPath> list;
    for (const Precision high : outer) {
      list.push_back({high});
      for (const Precision low : inner) {
        const bool two_soft = high == s36 && low == s16;  // one at a time
        if (!two_soft && facts(low).unit_roundoff >= facts(high).unit_roundoff) {
          list.push_back({high, {low}});
        }
      }
      if (high == double_double) {
        list.push_back({high, {double_, single}});
        list.push_back({high, {double_, half}});
      }
      if (high == double_) list.push_back({high, {single, half}});
    }
    return list;
  }();
  return all;
}

/// What the table and the picture say of a solve.
struct Contestant {
  SolverPath path;
  std::string inner;  ///< "single:half", or "alone"
  std::string way;    ///< "multigrid", or what corrects instead
  Plan plan;
};

Contestant contestant_of(const SolverPath& path, const ExperimentOptions& options,
                         LevelRange levels, Method method = Method::multigrid,
                         RefinementVariant variant = RefinementVariant::refinement) {
  const SolverPath inside{path.mixed() ? path.inner.front() : path.outer,
                          {path.inner.begin() + (path.mixed() ? 1 : 0), path.inner.end()}};
  Plan plan = plan_path(path, to_the_end, options, levels);
  plan.varied.emplace_back("solver.method", to_string(method));
  plan.varied.emplace_back("refinement.variant", to_string(variant));
  SolverOptions& solver = plan.configuration.solver;
  solver.method = method;
  solver.refinement.variant = variant;
  if (method == Method::cg) solver.max_iterations = most_cg_iterations;
  return {path, path.mixed() ? to_string(inside) : "alone", "multigrid", std::move(plan)};
}

/// double:single in other ways than by corrections of multigrid.
std::vector<Contestant> variants(const ExperimentOptions& options, LevelRange levels) {
  const SolverPath path{Precision::double_, {Precision::single_}};
  std::vector<Contestant> list;
  const auto add = [&](const std::string& way, Method method, RefinementVariant variant) {
    Contestant contestant = contestant_of(path, options, levels, method, variant);
    contestant.way = way;
    contestant.plan.name += ", " + way;
    list.push_back(std::move(contestant));
  };
  add("flexible CG, multigrid", Method::multigrid, RefinementVariant::flexible_cg);
  add("CG", Method::cg, RefinementVariant::refinement);
  add("residual-guided CG", Method::cg, RefinementVariant::residual_guided_cg);
  return list;
}

/// In the order of the table: each outer format's together.
std::vector<Contestant> contestants_of(const ExperimentOptions& options, LevelRange levels,
                                       BackendKind where) {
  std::vector<Contestant> list;
  for (const SolverPath& path : paths()) {
    if (is_device(where) && !runs_on_device(path)) continue;
    list.push_back(contestant_of(path, options, levels));
    if (to_string(path) == "double:single:half") {
      for (Contestant& variant : variants(options, levels)) list.push_back(std::move(variant));
    }
  }
  return list;
}

/// What is shown of one solve.
struct Solved {
  const Contestant& contestant;
  const LevelResult& row;
  double seconds;

  double over_exact() const { return error_rms(row) / exact_rms('A', row.level); }
  double nanoseconds() const { return 1e9 * seconds / static_cast<double>(row.unknowns); }
  bool native() const { return !contestant.path.mixed(); }
};

const Solved& native_of(const std::vector<Solved>& solves, const Solved& solved) {
  return *std::find_if(solves.begin(), solves.end(), [&](const Solved& other) {
    return other.native() && other.contestant.path.outer == solved.contestant.path.outer;
  });
}

struct Comparisons {
  Comparison exact{"combinations, the exact error"};
  Comparison native{"combinations, the outer format's error"};
  Comparison memory{"combinations, memory"};
};

/// "yes" or what does not agree, of a row in all comparisons.
std::string compare(Comparisons& comparisons, const Solved& solved, const Solved& native) {
  const LevelResult& row = solved.row;
  const std::string& name = solved.contestant.plan.name;
  const Precision outer = solved.contestant.path.outer;
  comparisons.exact.begin_row(name, row.level);
  comparisons.native.begin_row(name, row.level);
  comparisons.memory.begin_row(name, row.level);
  if (facts(outer).unit_roundoff <= facts(Precision::double_single).unit_roundoff) {
    comparisons.exact.relative("rms error", Source::exact, exact_rms('A', row.level),
                               error_rms(row), exact_margin);
  }
  if (!solved.native()) {
    const double native_off = std::abs(native.over_exact() - 1);
    if (native_off <= enough) {
      comparisons.native.relative("rms error", Source::theory, error_rms(native.row),
                                  error_rms(row), native_margin);
    } else if (!(native_off <= lost)) {
      comparisons.native.statement("rms error over exact", Source::theory,
                                   "off by more than 10 %, as the outer format alone",
                                   solved.over_exact(),
                                   !(std::abs(solved.over_exact() - 1) <= enough));
    }
    const auto bytes = [](Precision format) {
      return with_type(format, []<class T>() { return sizeof(T); });
    };
    if (bytes(solved.contestant.path.inner.back()) < bytes(outer)
        && row.level >= first_level_of_memory) {
      comparisons.memory.statement("bytes", Source::theory, "fewer than the outer format alone",
                                   static_cast<double>(row.memory_bytes),
                                   row.memory_bytes < native.row.memory_bytes);
    }
  }
  std::string verdict;
  for (const Comparison* one : {&comparisons.exact, &comparisons.native, &comparisons.memory}) {
    const std::string part = one->verdict();
    if (verdict.empty() || part.starts_with("NO")) verdict = part;
  }
  return verdict;
}

void report_level(ExperimentReport& report, const std::vector<Solved>& solves, bool several,
                  Comparisons& comparisons) {
  Table table(
      {text_column("outer", "outer"), text_column("inner", "inner"),
       text_column("way", "corrections by"), count_column("steps", "steps"),
       count_column("inner_iterations", "inner\niterations"), text_column("outcome", "outcome"),
       error_column("residual", "true\nresidual", 2),
       Column{.key = "rms_over_exact", .header = "rms error\nover exact", .style = significant(6)},
       Column{
           .key = "nanoseconds_per_unknown", .header = "ns per\nunknown", .style = significant(3)},
       Column{
           .key = "time_over_native", .header = "over the\nformat alone", .style = significant(3)},
       Column{.key = "bytes_per_unknown", .header = "bytes per\nunknown", .style = significant(3)},
       text_column("agreement", "agrees")});
  for (const Solved& solved : solves) {
    const LevelResult& row = solved.row;
    const Solved& native = native_of(solves, solved);
    const Contestant& contestant = solved.contestant;
    Cell inner_iterations;
    if (row.inner_iterations) inner_iterations = std::int64_t{*row.inner_iterations};
    table.add_row({to_string(contestant.path.outer), contestant.inner,
                   solved.native() ? std::string() : contestant.way, std::int64_t{row.iterations},
                   inner_iterations, row.outcome, row.true_residual_reduction, solved.over_exact(),
                   solved.nanoseconds(), solved.seconds / native.seconds,
                   static_cast<double>(row.memory_bytes) / static_cast<double>(row.unknowns),
                   compare(comparisons, solved, native)});
  }
  const int level = solves.front().row.level;
  report.table(fmt::format("All combinations on level {}", level),
               several ? fmt::format("combinations_{}", level) : "combinations", table);
}

/// By how far the error is off: the colours of the picture.
std::string_view colour_of(double over_exact) {
  const double off = std::abs(over_exact - 1);
  if (off <= exact_margin) return okabe_ito[2];
  if (off <= enough) return okabe_ito[0];
  return okabe_ito[1];
}

std::string error_words(double over_exact) {
  const double off = over_exact - 1;
  if (!std::isfinite(over_exact)) return "no solution";
  if (std::abs(off) <= exact_margin) return "error: the exact";
  if (std::abs(off) <= 0.5) return fmt::format("error: {:.2g} % off", 100 * std::abs(off));
  return fmt::format("error: {:.{}f} times the exact", over_exact, over_exact < 10 ? 1 : 0);
}

constexpr int native_symbol = 7, pair_symbol = 5, cascade_symbol = 9, variant_symbol = 13;

Picture draw_combinations(const std::vector<Solved>& solves, const std::string& device,
                          const ExperimentOptions& options) {
  const LevelResult& first = solves.front().row;
  LanePlot plot{.title = fmt::format("Which precision is enough? Level {}, {} unknowns, {}",
                                     first.level, first.unknowns, device),
                .x_label = "time to where the residual no longer falls / ns per unknown"};
  for (const Solved& solved : solves) {
    const Contestant& contestant = solved.contestant;
    const bool variant = contestant.way != "multigrid";
    if (solved.native()) {
      plot.lanes.push_back(
          {to_string(contestant.path.outer), error_words(solved.over_exact()), {}});
    }
    plot.lanes.back().points.push_back(
        {solved.nanoseconds(),
         variant ? contestant.inner + ", " + contestant.way : contestant.inner,
         {.colour = std::string(colour_of(solved.over_exact())),
          .point = solved.native()                    ? native_symbol
                   : variant                          ? variant_symbol
                   : contestant.path.inner.size() > 1 ? cascade_symbol
                                                      : pair_symbol}});
  }
  const auto colour = [](std::size_t k) { return std::string(okabe_ito[k]); };
  plot.key = {{"rms error within 0.01 % of the exact", {.colour = colour(2), .width = 9}},
              {"within 10 %", {.colour = colour(0), .width = 9}},
              {"more than 10 % off: not enough here", {.colour = colour(1), .width = 9}},
              {"the format alone", {.point = native_symbol}, false},
              {"corrected in an inner format", {.point = pair_symbol}, false},
              {"cascade", {.point = cascade_symbol}, false},
              {"other inner solvers", {.point = variant_symbol}, false}};
  return write_lane_plot(options.output / "combinations.png", plot);
}

bool run(const ExperimentOptions& options) {
  const BackendKind where = find_backend(options.backend, Precision::double_);
  const bool on_host = where == BackendKind::host;
  const int level = options.full ? (on_host ? host_level_full : device_level_full)
                                 : (on_host ? host_level : device_level);
  const LevelRange levels = options.levels.value_or(LevelRange{level, level});
  const std::vector<Contestant> contestants = contestants_of(options, levels, where);
  std::vector<Plan> plans;
  for (const Contestant& contestant : contestants) plans.push_back(contestant.plan);
  const Results results = run_with_progress(plans);

  ExperimentReport report("All combinations of number formats", results, options.output);
  report.paragraph(fmt::format(
      "Test A (unit square, uniform grids), operator in difference form, F-cycles with 2+2 Jacobi\n"
      "steps, until the residual has fallen by {:g} or no longer falls.  The outer format keeps "
      "the\n"
      "solution and its residual, the inner one solves for the corrections; steps are the outer\n"
      "format's, inner iterations those of the last format.  Time: of the iteration.{}",
      to_the_end.tolerance,
      on_host ? "  s36e11 and\ns16e8 are software, and half is converted by it on many CPUs."
              : "  Software\nformats are left out: they run on the host only."));
  Comparisons comparisons;
  std::vector<Solved> solves;
  for (int l = levels.first; l <= levels.last; ++l) {
    solves.clear();
    for (const Contestant& contestant : contestants) {
      const LevelResult& row = find_run(results, contestant.plan.name)
                                   .levels[static_cast<std::size_t>(l - levels.first)];
      solves.push_back(
          {contestant, row, median_solve_seconds(contestant.plan, row, seconds_per_median)});
    }
    report_level(report, solves, levels.first != levels.last, comparisons);
  }
  report.add(std::move(comparisons.exact));
  report.add(std::move(comparisons.native));
  report.add(std::move(comparisons.memory));
  const std::string device = results.meta.device.substr(0, results.meta.device.find(','));
  report.picture("combinations.png", draw_combinations(solves, device, options).remark);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(
      argc, argv,
      {.name = "combinations",
       .question = "Which precision is enough, and which combination of precisions gets there "
                   "soonest?",
       .possible = possible,
       .defaults = "8 on the host, 10 on a GPU",
       .full = "level 9 on the host, 12 on a GPU"},
      run);
}
