#pragma once
// What a page of an experiment says of values that stand in its tables without being compared.
//
// Shape.  From the section "agreement", which has every compared value with its rule, and
// "left-out", which has those left out with a reason: under each table whose values were compared a
// note of what was, by which rule, what was left out and why, and that all else is shown only; the
// verdict's heading points there.  Files hold the document without notes.
//
// Tests.  tests/experiments/support/report_test.cpp

#include "output/document/document.hpp"

namespace ninefold {

/// Adds the notes to a page whose lines of the summary lead to the tables, and to these lines how
/// many values are left out.
void note_what_is_compared(Article& page);

}  // namespace ninefold
