#include "experiments/program/live_page.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <sstream>

#include <fmt/format.h>

#include "output/tables/enough.hpp"

#include "experiments/program/interrupt.hpp"
#include "experiments/program/summary.hpp"

namespace ninefold {
namespace {

std::size_t count_levels(const Results& results) {
  std::size_t levels = 0;
  for (const RunResult& run : results.runs) levels += run.levels.size();
  return levels;
}

/// Where the error is largest on the finest level: of a single run, or of the quickest that is
/// enough.
std::vector<std::string> place_lines(const Results& results,
                                     const std::vector<LevelImages>& images) {
  std::vector<Enough> groups = which_are_enough(results);
  std::erase_if(groups, [](const Enough& group) { return group.runs < 2; });
  std::string run = results.runs.front().name;
  if (!groups.empty()) {
    run = groups.back().quickest == nullptr ? "" : words_of(*groups.back().quickest);
  }
  const LevelImages* finest = nullptr;
  for (const LevelImages& one : images) {
    const bool is_meant = one.run == run || run.starts_with(one.run + ":");
    if (is_meant && one.images.size() > 1) finest = &one;
  }
  if (finest == nullptr) return {};
  return {fmt::format("{}{} on level {}", results.runs.size() > 1 ? run + ": " : "",
                      finest->images.back().description, finest->level)};
}

}  // namespace

std::vector<std::string> first_lines(const std::vector<Plan>& plans, const Results& results) {
  std::vector<std::string> lines;
  if (count_levels(results) == 0) return lines;
  std::istringstream text(study_summary(results) + error_summary(plans, results)
                          + verdict(results));
  for (std::string line; std::getline(text, line);) {
    const std::string_view end = "above";  // on a page they are below
    if (line.ends_with(end)) line.replace(line.size() - end.size(), end.size(), "below");
    lines.push_back(line);
  }
  return lines;
}

LivePage::LivePage(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs,
                   const LevelPictures& pictures, ResultsWriter& writer)
    : plans_(plans), pictures_(pictures), writer_(writer) {
  for (const PreparedRun& run : runs) levels_ += run.levels.size();
}

ReportState LivePage::state(const Results& results) const {
  std::vector<std::string> lines = first_lines(plans_, results);
  for (std::string& line : place_lines(results, pictures_.images()))
    lines.push_back(std::move(line));
  return {Progress::complete, "", std::move(lines), pictures_.images()};
}

void LivePage::update(const Results& results) {
  const std::size_t levels = count_levels(results);
  if (levels < levels_ && !writer_.page_is_due()) {
    writer_.update_tables(results);
    return;
  }
  ReportState now = state(results);
  if (levels < levels_) {
    now.progress = Progress::running;
    now.text = fmt::format(
        "Not complete: {} of {} levels. The run goes on; load the page again to "
        "see more.",
        levels, levels_);
  }
  writer_.update(results, now);
  const std::string said =
      fmt::format("Interrupted: not complete, {} of {} levels.", levels, levels_);
  if (levels < levels_) {
    set_interrupted_page(writer_.page().string(), writer_.progress().at, writer_.progress().length,
                         said);
  } else {
    set_interrupted_page("", 0, 0, "");
  }
}

void LivePage::fail(const Results& results, const std::string& why) noexcept {
  if (count_levels(results) == 0) return;
  try {
    ReportState now = state(results);
    now.progress = Progress::failed;
    now.text = fmt::format("Failed after {} of {} levels: {}", count_levels(results), levels_, why);
    set_interrupted_page("", 0, 0, "");
    writer_.update(results, now);
  } catch (const std::exception&) {  // the failure itself is told
  }
}

}  // namespace ninefold
