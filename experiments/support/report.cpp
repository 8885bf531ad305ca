#include "experiments/support/report.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "solvers/stopping.hpp"

#include "output/document/document_json.hpp"
#include "output/document/html.hpp"
#include "output/document/results_document.hpp"
#include "output/document/results_figures.hpp"
#include "output/tables/files.hpp"

#include "experiments/program/interrupt.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/compared_notes.hpp"
#include "experiments/support/words.hpp"

namespace ninefold {
namespace {

void show(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

int count_levels(const std::vector<Plan>& plans) {
  int levels = 0;
  for (const Plan& plan : plans) {
    levels += plan.configuration.last_level - plan.configuration.first_level + 1;
  }
  return levels;
}

nlohmann::ordered_json to_json(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* number = std::get_if<double>(&cell)) return *number;  // NaN becomes null
  return nullptr;
}

/// The bytes of a file, or none if it cannot be read.
std::string content_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// With files named by their whole paths, for the screen.
Article in_directory(Article document, const std::filesystem::path& directory) {
  for (Section& section : document.sections) {
    for (Block& block : section.blocks) {
      if (auto* image = std::get_if<Image>(&block))
        image->file = (directory / image->file).string();
    }
  }
  return document;
}

nlohmann::ordered_json to_json(const std::vector<Comparison>& comparisons) {
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  for (const Comparison& comparison : comparisons) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const ComparedValue& value : comparison.values()) {
      values.push_back({{"row", value.row},
                        {"level", value.level},
                        {"quantity", value.quantity},
                        {"source", to_string(value.source)},
                        {"expected", to_json(value.expected)},
                        {"ours", to_json(value.ours)},
                        {"rule", value.rule},
                        {"agrees", value.agrees}});
    }
    tables.push_back({{"table", comparison.name()},
                      {"agreeing", comparison.agreeing()},
                      {"compared", comparison.values().size()},
                      {"values", std::move(values)}});
  }
  return {{"tables", std::move(tables)}};
}

}  // namespace

LevelProgress::LevelProgress(int levels, std::filesystem::path directory)
    : terminal_(::isatty(STDERR_FILENO) != 0), levels_(levels), directory_(std::move(directory)) {}

void LevelProgress::begin(const std::string& run, int level) const {
  if (terminal_) {
    show(fmt::format("\r\033[K{}/{} {}, level {} ...", done_ + 1, levels_, run, level));
  }
}

void LevelProgress::end(const std::string& run, const LevelResult& row) {
  ++done_;
  if (!terminal_) {
    const std::string inner = row.inner_iterations ? fmt::format(":{}", *row.inner_iterations) : "";
    show(fmt::format("{}/{} {}, level {}: {}{} iterations, {}, {:.2f} s\n", done_, levels_, run,
                     row.level, row.iterations, inner, row.outcome,
                     row.setup_seconds + row.solve_seconds));
  }
  set_interrupt_message(fmt::format("\ninterrupted; the finished levels are in {}\n",
                                    (directory_ / "results.csv").string()));
}

void LevelProgress::finish() const {
  if (terminal_) show("\r\033[K");
}

Results run_with_progress(const std::vector<Plan>& plans) {
  LevelProgress progress(count_levels(plans), plans.front().configuration.output.directory);
  RunEvents events;
  events.level_begins = [&](const Plan& plan, int level) { progress.begin(plan.name, level); };
  events.level_ends = [&](const Plan& plan, const RunResult& run) {
    progress.end(plan.name, run.levels.back());
  };
  Results results = run_plans(plans, {}, events);
  progress.finish();
  return results;
}

Cell iterations_cell(const LevelResult& row) {
  if (row.outcome == to_string(Outcome::converged)) return std::int64_t{row.iterations};
  return fmt::format("{}, {}", row.iterations, row.outcome);
}

Cell counts_cell(const LevelResult& row) {
  std::string text = fmt::format("{}:{}", row.iterations, row.inner_iterations.value());
  if (row.outcome != to_string(Outcome::converged)) text += ", " + row.outcome;
  return text;
}

std::string solve_link(const std::string& run, const LevelResult& row) {
  return "#" + (row.history.empty() ? row_id(run, row.level) : history_id(run, row.level));
}

std::vector<std::string> cell_links(const Table& table,
                                    const std::vector<std::pair<std::string, std::string>>& links) {
  std::vector<std::string> row(table.columns().size());
  for (const auto& [key, link] : links) {
    const auto column = std::find_if(table.columns().begin(), table.columns().end(),
                                     [&](const Column& one) { return one.key == key; });
    if (column == table.columns().end()) throw std::logic_error("there is no column " + key);
    row[static_cast<std::size_t>(column - table.columns().begin())] = link;
  }
  return row;
}

double error_l2(const LevelResult& row) {
  return row.error_l2.value_or(std::numeric_limits<double>::quiet_NaN());
}

double error_rms(const LevelResult& row) {
  return row.error_rms.value_or(std::numeric_limits<double>::quiet_NaN());
}

const RunResult& find_run(const Results& results, const std::string& name) {
  const auto found = std::find_if(results.runs.begin(), results.runs.end(),
                                  [&](const RunResult& run) { return run.name == name; });
  if (found == results.runs.end()) throw std::logic_error("there is no run " + name);
  return *found;
}

Column level_column() {
  return {.key = "level", .header = "level"};
}

Column text_column(const std::string& key, const std::string& header) {
  return {.key = key, .header = header, .align = Align::left};
}

Column count_column(const std::string& key, const std::string& header) {
  return {.key = key, .header = header};
}

Column error_column(const std::string& key, const std::string& header, int digits) {
  return {.key = key, .header = header, .style = scientific(digits)};
}

Column decimal_column(const std::string& key, const std::string& header, int decimals) {
  return {.key = key, .header = header, .style = fixed(decimals)};
}

Column time_column(const std::string& key, const std::string& header) {
  return {.key = key, .header = header, .style = significant(3)};
}

ExperimentReport::ExperimentReport(std::string title, const Results& results,
                                   std::filesystem::path directory)
    : directory_(std::move(directory)) {
  const Meta& meta = results.meta;
  if (!results.runs.empty()) solves_ = solve_sections(results);
  for (const RunResult& run : results.runs) {
    for (const LevelResult& row : run.levels) {
      links_[{run.name, row.level}] = solve_link(run.name, row);
    }
  }
  document_.title = std::move(title);
  document_.subtitle = fmt::format("{}{}; ninefold {} ({}), {}", meta.device,
                                   meta.driver.empty() ? "" : "; driver " + meta.driver,
                                   meta.version, meta.commit, meta.date);
  document_.sections.push_back({"results", ""});
}

void ExperimentReport::paragraph(const std::string& text) {
  document_.sections.front().blocks.emplace_back(Paragraph{text});
}

void ExperimentReport::table(const std::string& title, const std::string& stem, const Table& table,
                             std::vector<std::vector<std::string>> links) {
  TableBlock block{title, table};
  block.links = std::move(links);
  block.id = identifier(stem);
  document_.sections.front().blocks.emplace_back(std::move(block));
  tables_.emplace_back(stem, table);
}

void ExperimentReport::add(Comparison comparison) {
  if (comparison.values().empty()) return;
  comparisons_.push_back(std::move(comparison));
  compared_in_.push_back(tables_.empty() ? "" : "#" + identifier(tables_.back().first));
}

void ExperimentReport::picture(const std::string& file, const std::string& remark) {
  if (!remark.empty()) {
    paragraph(remark);
    undrawn_.push_back(remark);
    return;
  }
  document_.sections.front().blocks.emplace_back(Image{.title = file,
                                                       .description = file,
                                                       .png = content_of_file(directory_ / file),
                                                       .least = {},
                                                       .largest = {},
                                                       .file = file});
}

void ExperimentReport::gallery(std::vector<Image> images) {
  document_.sections.front().blocks.emplace_back(Gallery{std::move(images)});
}

bool ExperimentReport::finish() const {
  if (comparisons_.empty()) throw std::runtime_error("there is nothing to compare on these levels");
  std::string summary;
  bool all_agree = true;
  Article page = document_;
  page.summary_links = compared_in_;
  // A page has figures of its own.
  std::erase_if(page.sections.front().blocks, [&](const Block& block) {
    const auto* text = std::get_if<Paragraph>(&block);
    return text != nullptr
           && std::find(undrawn_.begin(), undrawn_.end(), text->text) != undrawn_.end();
  });
  for (const Comparison& comparison : comparisons_) {
    summary += comparison.summary() + "\n";
    page.summary.push_back(fmt::format("{}: {} of {} values agree", comparison.name(),
                                       comparison.agreeing(), comparison.values().size()));
    all_agree = all_agree && comparison.all_agree();
  }
  TableBlock compared{{}, comparison_table(comparisons_)};
  for (const Comparison& comparison : comparisons_) {
    for (const ComparedValue& value : comparison.values()) {
      const auto link = links_.find({value.row, value.level});
      compared.links.push_back({"", link == links_.end() ? "" : link->second});
    }
  }
  page.sections.push_back({"agreement", "Every compared value", {std::move(compared)}, true});
  if (Table left_out = left_out_table(comparisons_); !left_out.rows().empty()) {
    page.sections.push_back({"left-out",
                             "Printed in the paper, and not compared",
                             {TableBlock{{}, std::move(left_out)}},
                             true});
  }
  const std::string json = document_json(page).dump();
  note_what_is_compared(page);
  page.sections.insert(page.sections.end(), solves_.begin(), solves_.end());
  if (Section words = words_section(page); !words.blocks.empty()) {
    page.sections.push_back(std::move(words));
  }
  Article markdown = document_;
  markdown.sections.front().blocks.emplace_back(Preformatted{summary});
  const std::filesystem::path html = directory_ / "report.html";
  {
    const Uninterrupted whole_files;
    for (const auto& [stem, table] : tables_) {
      write_file_atomically(directory_ / (stem + ".csv"), table.to_csv());
      write_file_atomically(directory_ / (stem + ".tex"), table.to_latex());
    }
    write_file_atomically(directory_ / "agreement.csv", comparison_table(comparisons_).to_csv());
    write_file_atomically(directory_ / "agreement.json", to_json(comparisons_).dump(2) + "\n");
    write_file_atomically(directory_ / "report.md", to_markdown(markdown));
    write_file_atomically(directory_ / "report.json", json + "\n");
    write_file_atomically(html, to_html(page));
  }
  std::fputs(
      fmt::format("{}\nFiles in {}: report.md, report.html, agreement.csv, agreement.json, each "
                  "table as .csv and .tex, results.*\n{}all on one page: {}\n",
                  to_text(in_directory(document_, directory_)), directory_.string(), summary,
                  html.string())
          .c_str(),
      stdout);
  std::fflush(stdout);
  return all_agree;
}

}  // namespace ninefold
