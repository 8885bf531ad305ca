#pragma once
// What the words on pages mean, and what problem they are about.
//
// Shape.  A page has those entries of one list that are on it: looked for as whole words in titles,
// headings, cells and sentences.
//
// Tests.  tests/experiments/support/words_test.cpp

#include <string>
#include <vector>

#include "output/document/document.hpp"

namespace ninefold {

/// The words that stand in a table's headings and texts; none of them: without entries.
Facts words_in(const TableBlock& block);

/// What the experiments of these names solve, and beside which papers' numbers ours stand.
Section problem_section(const std::vector<std::string>& experiments);

/// The words of a whole document, for its end; without blocks if it has none of them.
Section words_section(const Article& document);

}  // namespace ninefold
