#include "output/tables/remarks.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ninefold {

std::string all_remarks(const LevelResult& level) {
  std::vector<std::string> remarks = level.data_remarks;
  if (!level.remark.empty()) remarks.insert(remarks.begin(), level.remark);
  return fmt::format("{}", fmt::join(remarks, "; "));
}

std::string level_words(int first, int last) {
  return first == last ? fmt::format("level {}", first)
                       : fmt::format("levels {} to {}", first, last);
}

std::vector<std::string> data_remark_lines(const RunResult& run) {
  std::vector<std::string> texts;
  for (const LevelResult& level : run.levels) {
    for (const std::string& text : level.data_remarks) {
      if (std::count(texts.begin(), texts.end(), text) == 0) texts.push_back(text);
    }
  }
  std::vector<std::string> lines;
  for (const std::string& text : texts) {
    const auto says = [&](const LevelResult& level) {
      return std::count(level.data_remarks.begin(), level.data_remarks.end(), text) > 0;
    };
    auto first = std::find_if(run.levels.begin(), run.levels.end(), says);
    while (first != run.levels.end()) {
      const auto last = std::find_if_not(first, run.levels.end(), says);
      lines.push_back(
          fmt::format("{}: {}", level_words(first->level, std::prev(last)->level), text));
      first = std::find_if(last, run.levels.end(), says);
    }
  }
  return lines;
}

std::string remarks_text(const RunResult& run) {
  std::string text;
  for (const std::string& line : data_remark_lines(run)) text += line + '\n';
  for (const LevelResult& level : run.levels) {
    if (!level.remark.empty()) text += fmt::format("level {}: {}\n", level.level, level.remark);
  }
  return text;
}

}  // namespace ninefold
