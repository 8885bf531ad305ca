#pragma once
// The figures of results, and the histories of their residuals, as sections of a document.
//
// Tests.  tests/output/document/results_document_test.cpp

#include <string>
#include <vector>

#include "output/document/document.hpp"
#include "output/tables/results.hpp"

namespace ninefold {

/// Errors over levels, what they cost, and residuals; sections without anything to show are left
/// out.
std::vector<Section> results_figures(const Results& results);

/// A row for each level: its curve and its values, thinned where there are many.
Section history_section(const Results& results);

/// Of a run's level, for links on the page.
std::string history_id(const std::string& run, int level);

}  // namespace ninefold
