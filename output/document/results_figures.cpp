#include "output/document/results_figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "output/document/results_document.hpp"

namespace ninefold {
namespace {

/// What a curve is called: a run by what it varies.
std::string name_of(const RunResult& run) {
  if (run.varied.empty()) return run.name;
  std::string text = run.name + ":";
  for (const auto& [key, value] : run.varied) text += " " + value;
  return text;
}

using Value = std::optional<double> LevelResult::*;

/// A curve over the levels for each run, beside one that falls as h^2 where they fall.
Figure over_levels(const Results& results, const std::string& title, const std::string& label,
                   const std::vector<std::pair<std::string, Value>>& values) {
  Figure figure{title, title + " over the refinement level, a curve for each run", "level", label};
  double lowest = 0;  // where a curve begins, times 4^level
  int first = 0, last = 0;
  for (const RunResult& run : results.runs) {
    for (const auto& [name, value] : values) {
      FigureSeries series{values.size() > 1 ? name : name_of(run), {}};
      if (values.size() > 1 && results.runs.size() > 1) series.name = name_of(run) + ", " + name;
      for (const LevelResult& level : run.levels) {
        if (!(level.*value) || !std::isfinite(*(level.*value)) || !(*(level.*value) > 0)) continue;
        const double scaled = std::ldexp(*(level.*value), 2 * level.level);
        if (value == values.front().second) {
          lowest = lowest == 0 ? scaled : std::min(lowest, scaled);
          first = first == 0 ? level.level : std::min(first, level.level);
          last = std::max(last, level.level);
        }
        series.points.push_back({static_cast<double>(level.level), *(level.*value),
                                 "#" + row_id(run.name, level.level)});
      }
      if (!series.points.empty()) figure.series.push_back(std::move(series));
    }
  }
  if (first < last) {
    FigureSeries reference{"falls as h²", {}, true};
    for (const int level : {first, last}) {
      reference.points.push_back(
          {static_cast<double>(level), 0.5 * std::ldexp(lowest, -2 * level)});
    }
    figure.series.push_back(std::move(reference));
  }
  return figure;
}

/// The l2 error, or where it is not known the estimated one, over the time that it takes.
Figure over_time(const Results& results, Value value, const std::string& label) {
  Figure figure{"What it costs: " + label + " over the time of the solve",
                label + " over the time of the solve, a curve for each run, a point for each level",
                "time of the solve in seconds", label};
  figure.logarithmic_x = true;
  for (const RunResult& run : results.runs) {
    FigureSeries series{name_of(run), {}};
    for (const LevelResult& level : run.levels) {
      if (!(level.*value)) continue;
      series.points.push_back(
          {level.solve_seconds, *(level.*value), "#" + row_id(run.name, level.level)});
    }
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  }
  return figure;
}

/// Of every level of a single run, of the finest level of each of several.
Figure residuals(const Results& results) {
  Figure figure{"Residuals", "the residual over the iterations", "iteration",
                "residual / first residual"};
  // Of a curve; many curves are told by fewer points each, so that a page stays small.
  const std::size_t curves = std::max<std::size_t>(1, results.runs.size());
  const std::size_t most_points = std::clamp<std::size_t>(3000 / curves, 5, 200);
  const auto add = [&](const std::string& name, const RunResult& run, const LevelResult& level) {
    FigureSeries series{name, {}};
    const std::size_t step = (level.history.size() + most_points - 1) / most_points;
    for (std::size_t k = 0; k < level.history.size(); k += step) {
      series.points.push_back(
          {static_cast<double>(k), level.history[k], "#" + history_id(run.name, level.level)});
    }
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  };
  for (const RunResult& run : results.runs) {
    if (results.runs.size() == 1) {
      for (const LevelResult& level : run.levels) {
        add(fmt::format("level {}", level.level), run, level);
      }
      continue;
    }
    const auto finest =
        std::find_if(run.levels.rbegin(), run.levels.rend(),
                     [](const LevelResult& level) { return !level.history.empty(); });
    if (finest != run.levels.rend()) {
      add(fmt::format("{}, level {}", name_of(run), finest->level), run, *finest);
    }
  }
  return figure;
}

bool has_points(const Figure& figure) {
  return std::any_of(figure.series.begin(), figure.series.end(), [&](const FigureSeries& series) {
    return !series.is_reference
           && std::any_of(series.points.begin(), series.points.end(),
                          [&](const FigurePoint& point) { return is_shown(figure, point); });
  });
}

bool any_has(const Results& results, Value value) {
  return std::any_of(results.runs.begin(), results.runs.end(), [&](const RunResult& run) {
    return std::any_of(run.levels.begin(), run.levels.end(),
                       [&](const LevelResult& level) { return (level.*value).has_value(); });
  });
}

/// "1, 2.3e-2, 4.5e-4", at most so many of them.
std::string values_of(const std::vector<double>& history, std::size_t most) {
  const std::size_t step = (history.size() + most - 1) / most;
  std::string text;
  for (std::size_t k = 0; k < history.size(); k += step) {
    text += fmt::format("{}{:.3g}", k == 0 ? "" : ", ", history[k]);
  }
  return step > 1 ? fmt::format("each {}th: {}", step, text) : text;
}

}  // namespace

std::string history_id(const std::string& run, int level) {
  return fmt::format("history-{}-level{:02}", identifier(run), level);
}

std::vector<Section> results_figures(const Results& results) {
  const bool is_known = any_has(results, &LevelResult::error_l2);
  const Value error = is_known ? &LevelResult::error_l2 : &LevelResult::estimated_l2;
  const std::string label = is_known ? "l2 error" : "estimated discretisation error";
  Section section{"figures", "Errors and what they cost", {}, true};
  // One run has all its errors in one frame, of several runs one error is compared.
  std::vector<std::pair<std::string, Value>> values{{label, error}};
  if (results.runs.size() == 1) {
    if (is_known) values.emplace_back("estimated discretisation error", &LevelResult::estimated_l2);
    values.emplace_back("left by the iteration", &LevelResult::algebraic_l2);
    values.emplace_back("left by rounding", &LevelResult::rounding_l2);
  }
  for (Figure& figure : std::vector<Figure>{
           over_levels(results, "Errors", values.size() > 1 ? "error in l2" : label, values),
           over_time(results, error, label), residuals(results)}) {
    if (has_points(figure)) section.blocks.emplace_back(std::move(figure));
  }
  if (section.blocks.empty()) return {};
  return {std::move(section)};
}

Section history_section(const Results& results) {
  std::size_t count = 0;
  for (const RunResult& run : results.runs) count += run.levels.size();
  // Of many histories fewer values each, so that a page stays small.
  const std::size_t most = std::clamp<std::size_t>(8000 / std::max<std::size_t>(1, count), 10, 40);
  Section section{"histories", "Residual histories", {}, true};
  Table table({{.key = "run", .header = "run", .align = Align::left},
               {.key = "level", .header = "level"},
               {.key = "iterations", .header = "iterations"},
               {.key = "curve", .header = "curve", .align = Align::left},
               {.key = "values", .header = "residual / first residual", .align = Align::left}});
  TableBlock block{{}, std::move(table)};
  for (const RunResult& run : results.runs) {
    for (const LevelResult& level : run.levels) {
      if (level.history.empty()) continue;
      block.table.add_row({run.name, std::int64_t{level.level}, std::int64_t{level.iterations},
                           std::monostate{}, values_of(level.history, most)});
      block.row_ids.push_back(history_id(run.name, level.level));
      block.links.push_back({"#" + row_id(run.name, level.level)});
      block.curves.push_back(level.history);
    }
  }
  if (!block.table.rows().empty()) section.blocks.emplace_back(std::move(block));
  return section;
}

}  // namespace ninefold
