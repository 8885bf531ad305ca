// On which level does rounding pass the discretisation error, and was that foreseen?
//
// Wall: the first level on which what rounding leaves is larger than the discretisation error.
// Forecast by pilots on coarse levels (solvers/estimate/precision_forecast.hpp), and measured: all
// levels are solved, rounding is estimated on each (solvers/estimate/solver_errors.hpp), and the
// discretisation error is the true one of a solve in double.  Named problems, on uniform and graded
// grids, in the narrow formats and both forms, whose walls such levels reach.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "precision/bad_value.hpp"

#include "solvers/estimate/level_errors.hpp"
#include "solvers/estimate/precision_forecast.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/program/run.hpp"
#include "experiments/support/gradings.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

struct Settings {
  int last = 10;
  std::string backend = "auto", output = "results/wall_forecasts";
};

constexpr int first_level = 3;

std::vector<PrecisionPath> paths() {
  return {{Precision::bfloat16, {}, false},
          {Precision::half, {}, false},
          {Precision::half, {}, true},
          {Precision::single_, {}, false},
          {Precision::single_, {}, true}};
}

SolverOptions options_of(const PrecisionPath& path) {
  SolverOptions options;
  options.method = Method::full_multigrid;
  options.to_discretisation = true;
  return with_path(options, path);
}

struct Measured {
  std::optional<double> rounding;
  std::optional<double> error;  ///< the true one
};

/// Each level of a problem on a path; fewer where a format refuses one.
std::map<int, Measured> measure(const Problem& problem, const GridGrading& grading,
                                const PrecisionPath& path, int last, BackendKind where) {
  std::map<int, Measured> levels;
  LevelSequence sequence;
  for (int level = first_level; level <= last; ++level) {
    try {
      const LevelResult row = solve_level(prepare(problem, make_hierarchy(1.0, 1.0, level, grading),
                                                  options_of(path), where, false),
                                          sequence, level < last)
                                  .row;
      const bool has_stagnated = row.outcome == to_string(Outcome::stagnated);
      levels[level] = {left_by_rounding(row.rounding_l2, row.left_l2, has_stagnated), row.error_l2};
    } catch (const BadValue&) {
      break;
    }
  }
  return levels;
}

/// The first level on which rounding(level) is above error(level), both known.
template <class Rounding, class Error>
std::optional<int> wall(int last, const Rounding& rounding, const Error& error) {
  for (int level = first_level; level <= last; ++level) {
    const std::optional<double> r = rounding(level), e = error(level);
    if (r && e && *r > *e) return level;
  }
  return {};
}

/// Of walls that were seen.
struct Count {
  int walls = 0, exact = 0, within_one = 0;
};

Cell cell(const std::optional<int>& level) {
  return level ? Cell(std::int64_t{*level}) : Cell();
}

bool run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  const Context context = context_of(is_device(where));
  Table table(with_context({{.key = "problem", .header = "problem", .align = Align::left},
                            {.key = "grid", .header = "grid", .align = Align::left},
                            {.key = "path", .header = "formats", .align = Align::left},
                            {.key = "levels", .header = "to level"},
                            {.key = "forecast", .header = "wall\nforecast"},
                            {.key = "measured", .header = "wall\nmeasured"}}));
  Count among, beyond;  // the pilots' levels
  for (const std::string& name : problem_names()) {
    ProblemOptions of_problem;
    of_problem.solution = name;
    of_problem.quadrature = 3;
    const Problem problem = make_problem(of_problem, 1.0, 1.0);
    for (const NamedGrading& grading : all_gradings()) {
      const auto grids = make_hierarchy(1.0, 1.0, settings.last, grading.grading);
      const PrecisionForecast forecast(problem, grids, {}, where);
      const auto truth =
          measure(problem, grading.grading, {Precision::double_, Precision::single_, false},
                  settings.last, where);
      const auto error = [&](int level) {
        const auto found = truth.find(level);
        return found == truth.end() ? std::nullopt : found->second.error;
      };
      for (const PrecisionPath& path : paths()) {
        std::optional<RoundingTrend> trend;
        try {
          trend = forecast.trend(path);
        } catch (const BadValue&) {
          continue;
        }
        const auto found = measure(problem, grading.grading, path, settings.last, where);
        if (!trend || found.empty()) continue;
        const int last = found.rbegin()->first;
        const auto seen = wall(
            last,
            [&](int level) {
              return found.contains(level) ? found.at(level).rounding : std::nullopt;
            },
            error);
        const auto foreseen = wall(
            last + 1, [&](int level) { return std::optional(trend->at(level)); },
            [&](int level) { return std::optional(forecast.discretisation(level)); });
        if (seen) {
          const int difference = foreseen ? std::abs(*seen - *foreseen) : last;
          Count& count = *seen > forecast.last_pilot() ? beyond : among;
          ++count.walls;
          if (difference <= 1) ++count.within_one;
          if (difference == 0) ++count.exact;
        }
        table.add_row(with_context(
            {name, grading.name, to_words(path), std::int64_t{last}, cell(foreseen), cell(seen)},
            context));
      }
    }
  }
  write_file_atomically(std::filesystem::path(settings.output) / "wall_forecasts.csv",
                        table.to_csv());
  const auto words = [](const Count& count, const char* levels) {
    return fmt::format("walls seen {}: {}, foreseen to the level {}, within one {}\n", levels,
                       count.walls, count.exact, count.within_one);
  };
  std::fputs((table.to_text() + '\n' + words(among, "on levels of the pilots")
              + words(beyond, "beyond them"))
                 .c_str(),
             stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Is the level on which rounding takes over foreseen?", "wall_forecasts");
  app.add_option("--last", settings.last, "the finest level, from 4 to 14")
      ->check(CLI::Range(4, 14))
      ->capture_default_str();
  app.add_option("--backend", settings.backend, "auto, host or cuda")->capture_default_str();
  app.add_option("--output", settings.output, "folder of the table")->capture_default_str();
  return run_program(app, argc, argv, [&] { return run(settings); });
}
