#pragma once
// What the levels of a run have to say, level by level and for several levels at once.
//
// Tests.  tests/output/tables/remarks_test.cpp

#include <string>
#include <vector>

#include "output/tables/results.hpp"

namespace ninefold {

/// All remarks of a level, as one sentence for its row.
std::string all_remarks(const LevelResult& level);

/// "level 6" or "levels 3 to 8"
std::string level_words(int first, int last);

/// A line for each of the data_remarks and each stretch of levels that share it: "levels 3 to 8:
/// sentence", without a line feed.
std::vector<std::string> data_remark_lines(const RunResult& run);

/// The lines of data_remark_lines(), then "level 11: sentence" for each level with a remark of its
/// own, each line ended by a line feed.
std::string remarks_text(const RunResult& run);

}  // namespace ninefold
