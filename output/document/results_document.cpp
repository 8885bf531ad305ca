#include "output/document/results_document.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "precision/parameter.hpp"

#include "output/document/results_figures.hpp"
#include "output/tables/enough.hpp"
#include "output/tables/remarks.hpp"
#include "output/tables/results_files.hpp"

namespace ninefold {
namespace {

TableBlock level_block(const Results& results) {
  TableBlock block{{}, level_table(results)};
  for (const RunResult& run : results.runs) {
    for (const LevelResult& level : run.levels) {
      block.row_ids.push_back(row_id(run.name, level.level));
      block.links.push_back({level.history.empty() ? "" : "#" + history_id(run.name, level.level)});
    }
  }
  return block;
}

Items remark_items(const Results& results) {
  Items items;
  for (const RunResult& run : results.runs) {
    std::istringstream lines(remarks_text(run));
    for (std::string line; std::getline(lines, line);) {
      items.texts.push_back(fmt::format("{}, {}", run.name, line));
    }
  }
  return items;
}

Table option_table(const Meta& meta) {
  Table options({{.key = "option", .header = "option", .align = Align::left},
                 {.key = "value", .header = "value", .align = Align::left}});
  for (const auto& [key, value] : meta.options) options.add_row({key, value});
  return options;
}

/// What a study knows it by: "run-2: double".
std::string run_in_words(const Results& results, const std::string& name) {
  const auto found = std::find_if(results.runs.begin(), results.runs.end(),
                                  [&](const RunResult& run) { return run.name == name; });
  return found == results.runs.end() ? name : words_of(*found);
}

Section pictures(const std::vector<LevelImages>& levels, const Results& results) {
  const bool several = results.runs.size() > 1;
  Section section{"pictures", "The solution, and where its error lies", {}, true};
  for (const LevelImages& level : levels) {
    Gallery gallery{level.images};
    for (Image& image : gallery.images) {
      image.title =
          fmt::format("{}level {}: {}", several ? run_in_words(results, level.run) + ", " : "",
                      level.level, image.title);
    }
    section.blocks.emplace_back(std::move(gallery));
  }
  return section;
}

std::string title_of(const Meta& meta) {
  for (const auto& [key, value] : meta.options) {
    if (key == name(Parameter::solution) || key == name(Parameter::source)) {
      if (!value.empty() && value != "\"\"") return "Results: " + value;
    }
  }
  return "Results";
}

}  // namespace

std::string row_id(const std::string& run, int level) {
  return fmt::format("row-{}-level{:02}", identifier(run), level);
}

namespace {

Column seconds_column(const std::string& key) {
  return {.key = key, .header = "takes", .unit = "s", .style = significant(3)};
}

Column memory_column(const std::string& key) {
  return {.key = key, .header = "memory", .unit = "MiB", .style = significant(3), .scale = 1 << 20};
}

Cell memory_cell(const LevelResult& level) {
  return level.memory_bytes == 0 ? Cell() : Cell(static_cast<double>(level.memory_bytes));
}

/// Its name, with an outcome that tells of lost time, what it takes and holds; nothing if there is
/// none.
void add_cost(std::vector<Cell>& cells, const RunResult* run, int number) {
  if (run == nullptr) return cells.resize(cells.size() + 3);
  const LevelResult& level = *level_of(*run, number);
  const bool is_done = level.outcome.empty() || level.outcome == "converged";
  cells.emplace_back(words_of(*run) + (is_done ? "" : " (" + level.outcome + ")"));
  cells.emplace_back(level.solve_seconds);
  cells.push_back(memory_cell(level));
}

}  // namespace

Table enough_table(const Results& results) {
  std::vector<Enough> rows = which_are_enough(results);
  std::erase_if(rows, [](const Enough& row) { return row.runs < 2; });
  const auto any = [&](auto has) { return std::any_of(rows.begin(), rows.end(), has); };
  const bool several = any([](const Enough& row) { return !row.problem.empty(); });
  std::vector<Column> columns{{.key = "level", .header = "level"}};
  if (several) columns.push_back({.key = "problem", .header = "of", .align = Align::left});
  const auto add_costs = [&](const std::string& key, const std::string& header) {
    columns.push_back({.key = key, .header = header, .align = Align::left});
    columns.push_back(seconds_column(key + "_seconds"));
    columns.push_back(memory_column(key + "_memory"));
  };
  add_costs("smallest", "enough with the least memory");
  add_costs("quickest", any(is_quickest_of_converged) ? "the quickest converged that is enough"
                                                      : "the quickest that is enough");
  columns.push_back({.key = "enough", .header = "enough", .align = Align::left});
  for (const char* norm : {"l2", "rms"}) {
    columns.push_back({.key = std::string("discretisation_") + norm,
                       .header = std::string("discretisation error, ") + norm,
                       .style = scientific(3)});
  }
  Table table(std::move(columns));
  for (const Enough& row : rows) {
    std::vector<Cell> cells{std::int64_t{row.level}};
    if (several) cells.emplace_back(row.problem);
    for (const RunResult* run : {row.smallest, row.quickest}) add_cost(cells, run, row.level);
    cells.insert(
        cells.end(),
        {Cell(fmt::format("{} of {}", row.enough.size(), row.enough.size() + row.others.size())),
         Cell(row.discretisation), to_cell(row.discretisation_rms)});
    table.add_row(std::move(cells));
  }
  return table;
}

std::string enough_note() {
  return "Enough: what iteration and rounding leave is at most a tenth of the discretisation "
         "error, "
         "in l2 and, where the errors at the nodes are known, in rms.  Where that is not "
         "estimated, "
         "errors within 10 % of the most precise run's are enough; which are is told below run by "
         "run, the "
         "finest level first.  The quickest is sought among "
         "those that converged, if any did; a run named with another outcome did not, and its time "
         "has iterations in it that gained nothing.";
}

namespace {

/// A format, or one over another, as a word of its own in front: "double plain" as "plain".
std::string form_of(const RunResult& run) {
  std::string text;
  if (run.varied.empty()) {
    const std::size_t end = run.name.find_first_of(" ,");
    return end == std::string::npos ? "" : run.name.substr(end);
  }
  for (const auto& [key, value] : run.varied) {
    if (!key.ends_with("precision")) text += key + " " + value + ", ";
  }
  return text;
}

bool is_in_double(const RunResult& run) {
  if (run.varied.empty()) return run.name.substr(0, run.name.find_first_of(" ,")) == "double";
  bool is_double = false;
  for (const auto& [key, value] : run.varied) {
    if (!key.ends_with("precision")) continue;
    if (key == name(Parameter::precision)) {
      is_double = value == "double";
    } else if (value != "none") {
      return false;
    }
  }
  return is_double;
}

}  // namespace

Table cost_table(const Results& results) {
  Table table({{.key = "level", .header = "level"},
               {.key = "run", .header = "run", .align = Align::left},
               {.key = "enough", .header = "enough", .align = Align::left},
               seconds_column("seconds"),
               memory_column("memory"),
               {.key = "over_double",
                .header = "time over double in the same form",
                .style = significant(3)},
               {.key = "error_l2", .header = "l2 error", .style = scientific(3)},
               {.key = "error_rms", .header = "rms error", .style = scientific(3)},
               {.key = "outcome", .header = "outcome", .align = Align::left}});
  std::vector<std::pair<std::string, const RunResult*>> in_double;  // by form
  for (const RunResult& run : results.runs) {
    if (is_in_double(run)) in_double.emplace_back(form_of(run), &run);
  }
  std::vector<Enough> groups = which_are_enough(results);
  // The finest level first: of many runs the first ones are in sight.
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Enough& a, const Enough& b) { return a.level > b.level; });
  for (const Enough& group : groups) {
    if (group.runs < 2) continue;
    for (const RunResult& run : results.runs) {
      const auto is_in = [&](const std::vector<const RunResult*>& list) {
        return std::find(list.begin(), list.end(), &run) != list.end();
      };
      const bool suffices = is_in(group.enough);
      if (!suffices && !is_in(group.others)) continue;
      const LevelResult& level = *level_of(run, group.level);
      Cell over_double;
      const std::string form = form_of(run);
      for (const auto& [other_form, other] : in_double) {
        const LevelResult* const beside = level_of(*other, group.level);
        if (other_form == form && beside != nullptr && beside->solve_seconds > 0) {
          over_double = level.solve_seconds / beside->solve_seconds;
        }
      }
      table.add_row({std::int64_t{group.level}, words_of(run), std::string(suffices ? "yes" : "no"),
                     level.solve_seconds, memory_cell(level), over_double, to_cell(level.error_l2),
                     to_cell(level.error_rms), level.outcome});
    }
  }
  return table;
}

Table time_table(const Results& results) {
  const bool several = results.runs.size() > 1;
  std::vector<const LevelResult*> levels;
  std::vector<std::string> runs, parts;
  for (const RunResult& run : results.runs) {
    // Of a study the finest levels: most of the time is theirs.
    const std::size_t first = several && !run.levels.empty() ? run.levels.size() - 1 : 0;
    for (std::size_t k = first; k < run.levels.size(); ++k) {
      if (run.levels[k].timeline.empty()) continue;
      levels.push_back(&run.levels[k]);
      runs.push_back(words_of(run));
      for (const auto& [part, seconds] : run.levels[k].timeline) {
        if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
      }
    }
  }
  // What a level ends with stays at the end.
  std::stable_partition(parts.begin(), parts.end(),
                        [](const auto& part) { return part != "rest"; });
  std::vector<Column> columns;
  if (several) columns.push_back({.key = "run", .header = "run", .align = Align::left});
  columns.push_back({.key = "level", .header = "level"});
  const auto milliseconds = [&](const std::string& key, const std::string& header) {
    columns.push_back(
        {.key = key, .header = header, .unit = "ms", .style = significant(3), .scale = 1e-3});
  };
  milliseconds("all", "in all");
  for (const std::string& part : parts) milliseconds(part, part);
  Table table(std::move(columns));
  for (std::size_t k = 0; k < levels.size(); ++k) {
    std::vector<Cell> cells;
    if (several) cells.emplace_back(runs[k]);
    cells.emplace_back(std::int64_t{levels[k]->level});
    double all = 0;
    for (const auto& [part, seconds] : levels[k]->timeline) all += seconds;
    cells.emplace_back(all);
    for (const std::string& part : parts) {
      const auto& timeline = levels[k]->timeline;
      const auto found = std::find_if(timeline.begin(), timeline.end(),
                                      [&](const auto& one) { return one.first == part; });
      cells.push_back(found == timeline.end() ? Cell() : Cell(found->second));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Article results_document(const Results& results) {
  const Meta& meta = results.meta;
  Article document{.title = title_of(meta)};
  document.subtitle =
      fmt::format("on {}; ninefold {} ({}), {}", meta.device, meta.version, meta.commit, meta.date);
  Facts facts{{{"program", meta.program},
               {"version", meta.version},
               {"commit", meta.commit},
               {"compiler", meta.compiler},
               {"cuda", meta.cuda},
               {"device", meta.device},
               {"driver", meta.driver},
               {"date", meta.date}}};
  document.sections.push_back({"origin", "", {std::move(facts)}, false, true});
  document.sections.push_back({"levels", "Levels", {level_block(results)}});
  if (Items remarks = remark_items(results); !remarks.texts.empty()) {
    document.sections.push_back({"remarks", "Remarks", {std::move(remarks)}});
  }
  if (Table options = option_table(meta); !options.rows().empty()) {
    document.sections.push_back(
        {"options", "Options", {TableBlock{{}, std::move(options)}}, false, true});
  }
  return document;
}

std::vector<Section> solve_sections(const Results& results) {
  std::vector<Section> sections = results_figures(results);
  sections.push_back({"levels", "Every solve", {level_block(results)}});
  if (Section histories = history_section(results); !histories.blocks.empty()) {
    sections.push_back(std::move(histories));
  }
  for (Section& section : sections) section.of_page = section.aside = true;
  return sections;
}

Article results_page(const Results& results, const ReportState& state) {
  const bool several = results.runs.size() > 1;
  Article document = results_document(results);
  document.progress = state.progress;
  document.progress_text = state.text;
  document.summary = state.summary;
  std::vector<Section> sections;
  for (Section& section : document.sections) {
    const bool is_table = section.id == "levels";
    if (is_table && several) {
      if (Table enough = enough_table(results); !enough.rows().empty()) {
        sections.push_back({"enough",
                            "Which run is enough",
                            {Paragraph{enough_note()}, TableBlock{{}, std::move(enough)},
                             TableBlock{"What each run costs", cost_table(results)}},
                            true});
      }
    }
    if (section.id == "origin") section.title = "Where it ran";
    sections.push_back(std::move(section));
    if (!is_table) continue;
    for (Section& figures : results_figures(results)) sections.push_back(std::move(figures));
    if (!state.images.empty()) sections.push_back(pictures(state.images, results));
    if (Table times = time_table(results); !times.rows().empty()) {
      sections.push_back({"time", "Where the time goes", {TableBlock{{}, std::move(times)}}, true});
    }
    if (Section histories = history_section(results); !histories.blocks.empty()) {
      sections.push_back(std::move(histories));
    }
  }
  document.sections = std::move(sections);
  return document;
}

}  // namespace ninefold
