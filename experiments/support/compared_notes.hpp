#pragma once
// What a page of an experiment says of values that stand in its tables without being compared.
//
// Shape.  From the section "agreement", which has every compared value with its rule, and
// "left-out", which has those left out with a reason: under each table whose values were compared a
// note of what was, by which rule, what was left out and why, and that all else is shown only; the
// verdict's heading points there.  Files hold the document without notes.
//
// Tests.  tests/experiments/support/report_test.cpp

#include <map>
#include <string>

#include "output/document/document.hpp"

namespace ninefold {

/// How many values agree, by source.
using AgreeingValues = std::map<std::string, int>;

/// Of all comparisons of a page.
AgreeingValues agreeing_values(const Article& page);

/// " (27 with the paper's, 18 exact)", or nothing.
std::string in_words(const AgreeingValues& values);

/// Adds the notes to a page whose lines of the summary lead to the tables, and to these lines with
/// what the values agree and how many are left out.
void note_what_is_compared(Article& page);

}  // namespace ninefold
