#pragma once
// Results as a document: what of them matters first, then tables, figures, pictures, histories.
//
// Tests.  tests/output/document/results_document_test.cpp, tests/output/document/page.py

#include <optional>
#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "output/document/document.hpp"
#include "output/tables/results.hpp"

namespace ninefold {

/// Of one level: the solution, and where its error lies.
struct LevelImages {
  std::string run;
  int level = 0;
  std::vector<Image> images;
};

/// What a page tells beside the results.
struct ReportState {
  Progress progress = Progress::complete;
  std::string text{};                  ///< a sentence on the progress; may be empty if complete
  std::vector<std::string> summary{};  ///< for the first screenful
  std::vector<LevelImages> images{};
};

/// The tables and remarks of a run or study; its Markdown is results.md.
Article results_document(const Results& results);

/// The same with all that is of a page alone.
Article results_page(const Results& results, const ReportState& state = {});

/// Every solve of an experiment, behind its own tables: figures, levels, residual histories.
std::vector<Section> solve_sections(const Results& results);

/// Of a run's level, for links on the page.
std::string row_id(const std::string& run, int level);

/// For a study, level by level: which run that is enough (output/tables/enough.hpp) holds the least
/// memory, which takes the least time, the discretisation error, and which runs are enough beside
/// it; without rows if no level of a problem was solved by two runs.
Table enough_table(const Results& results);

/// What "enough" means there, for people.
std::string enough_note();

/// Of the same levels each run by itself: what it costs, also over double in the same form, its
/// errors, and how it ended.
Table cost_table(const Results& results);

/// The parts of each level's time, in milliseconds, of a study those of each run's finest level.
Table time_table(const Results& results);

}  // namespace ninefold
