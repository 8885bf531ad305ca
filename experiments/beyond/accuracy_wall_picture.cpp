#include "experiments/beyond/accuracy_wall_picture.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "output/plots/curve_plot.hpp"

#include "experiments/beyond/accuracy_wall_contestants.hpp"
#include "experiments/paper/paper.hpp"
#include "experiments/support/report.hpp"

namespace ninefold {
namespace {

std::vector<const Entry*> entries_of(bool mixed) {
  std::vector<const Entry*> list;
  for (const Entry& entry : entries()) {
    if (entry.contestant.path.mixed() == mixed) list.push_back(&entry);
  }
  return list;
}

/// What stands at the end of a curve; the form is left out, and the second name, where both forms
/// end in one place.
std::string curve_name(const Results& results, const Entry& entry) {
  const auto last = [&](OperatorForm form) -> const LevelResult& {
    return find_run(results, Entry{entry.contestant, form, {}}.name()).levels.back();
  };
  const LevelResult &plain = last(OperatorForm::plain),
                    &difference = last(OperatorForm::difference);
  const std::string format = to_string(entry.contestant.path);
  if (plain.level == difference.level
      && std::abs(error_l2(plain) - error_l2(difference)) <= 0.2 * error_l2(difference)) {
    return entry.form == OperatorForm::plain ? "" : format;
  }
  return fmt::format("{}, {}", format, entry.form_name());
}

Curve exact_curve(const Results& results) {
  int last_level = 0;
  for (const RunResult& run : results.runs) {
    last_level = std::max(last_level, run.levels.back().level);
  }
  Curve exact{"", {.colour = "#C4C4C4", .width = 16}, {}};
  for (const ExactErrors& errors : all_exact_errors()) {
    if (errors.test == 'A' && errors.level >= results.runs.front().levels.front().level
        && errors.level <= last_level) {
      exact.points.emplace_back(errors.level, errors.l2);
    }
  }
  return exact;
}

void add_format(CurvePlot& plot, const Results& results, const Entry& entry) {
  const RunResult& run = find_run(results, entry.name());
  const bool plain = entry.form == OperatorForm::plain;
  const std::string colour(entry.contestant.colour);
  Curve curve{curve_name(results, entry),
              {.colour = colour, .width = plain ? 3.0 : 4.0, .dashed = plain},
              {}};
  for (const LevelResult& row : run.levels) curve.points.emplace_back(row.level, error_l2(row));
  plot.curves.push_back(std::move(curve));
}

void mark_wall(CurvePlot& plot, const Results& results, const Entry& entry) {
  if (const auto wall = wall_of(find_run(results, entry.name()), l2_ratio)) {
    plot.marks.push_back({static_cast<double>(*wall),
                          exact_l2('A', *wall),
                          {.colour = std::string(entry.contestant.colour),
                           .point = entry.form == OperatorForm::plain ? 6 : 7}});
  }
}

/// Levels modulo the number of paths on which each draws its symbol: such that each begins as close
/// to its last level as those before it leave free.
std::vector<int> turns_of(const Results& results, const std::vector<const Entry*>& mixed) {
  const int period = static_cast<int>(mixed.size());
  std::vector<int> turns;
  for (const Entry* entry : mixed) {
    int turn = find_run(results, entry->name()).levels.back().level % period;
    while (std::count(turns.begin(), turns.end(), turn) > 0) turn = (turn + period - 1) % period;
    turns.push_back(turn);
  }
  return turns;
}

/// A symbol on every level where the path has left the exact errors, and where it has not before
/// every `period`-th one: on the levels stand the walls.
void add_mixed(CurvePlot& plot, const Results& results, const Entry& entry, int turn, int period) {
  const Stroke stroke{.colour = std::string(entry.contestant.colour),
                      .width = 1.5,
                      .point = entry.contestant.symbol,
                      .size = 2.2};
  Stroke halo = stroke;
  halo.colour = "#FFFFFF";
  halo.size = 3.4;
  Curve departure{"", {.colour = stroke.colour, .width = stroke.width}, {}};
  const LevelResult* before = nullptr;
  for (const LevelResult& row : find_run(results, entry.name()).levels) {
    const bool off = !(std::abs(l2_ratio(row) - 1) <= off_the_exact);
    const double level = row.level;
    if (off) {
      plot.marks.push_back({level, error_l2(row), halo});
      plot.marks.push_back({level, error_l2(row), stroke});
    } else if (row.level % period == turn && before != nullptr) {
      const double between = std::sqrt(error_l2(*before) * error_l2(row));
      plot.marks.push_back({level - 0.5, between, halo});
      plot.marks.push_back({level - 0.5, between, stroke});
    }
    if (off) {
      if (departure.points.empty() && before != nullptr) {
        departure.points.emplace_back(before->level, error_l2(*before));
      }
      departure.points.emplace_back(row.level, error_l2(row));
    }
    before = &row;
  }
  if (!departure.points.empty()) plot.curves.push_back(std::move(departure));
  plot.key.push_back({to_string(entry.contestant.path), stroke, false});
}

}  // namespace

Picture draw_walls(const Results& results, const std::filesystem::path& directory) {
  CurvePlot plot{.title = "The accuracy wall: where each number format leaves the exact error",
                 .x_label = "refinement level",
                 .y_label = "L2 error"};
  const Curve exact = exact_curve(results);
  plot.least_y = exact.points.back().second / 4;
  plot.greatest_y = 0.1;  // the size of the solution: nothing is left of it above
  plot.curves.push_back(exact);
  for (const Entry* entry : entries_of(false)) add_format(plot, results, *entry);
  const std::vector<const Entry*> mixed = entries_of(true);
  const std::vector<int> turns = turns_of(results, mixed);
  for (std::size_t k = 0; k < mixed.size(); ++k) {
    add_mixed(plot, results, *mixed[k], turns[k], static_cast<int>(mixed.size()));
  }
  for (const Entry* entry : entries_of(false)) mark_wall(plot, results, *entry);
  plot.key.insert(plot.key.end(), {{"operator in plain form", {.dashed = true}},
                                   {"operator in difference form", {.width = 4}},
                                   {"the wall, plain form: off by 10 %", {.point = 6}, false},
                                   {"the wall, difference form", {.point = 7}, false},
                                   {"exact solution of the discrete equations", exact.stroke}});
  return write_curve_plot(directory / "accuracy_wall.png", plot);
}

}  // namespace ninefold
