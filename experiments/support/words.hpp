#pragma once
// What the words on pages mean, and what problem they are about.
//
// Shape.  A page has those entries of one list that are on it: looked for as whole words in titles,
// headings, cells and sentences.
//
// Tests.  tests/experiments/support/words_test.cpp

#include "output/document/document.hpp"

namespace ninefold {

/// The words that stand in a table's headings and texts; none of them: without entries.
Facts words_in(const TableBlock& block);

/// What the experiments of the paper solve, and which paper that is.
Section problem_section();

/// The words of a whole document, for its end; without blocks if it has none of them.
Section words_section(const Article& document);

}  // namespace ninefold
